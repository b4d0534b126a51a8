//! Parameter sweeps: many analyses of one model, with varied parameters, on all cores.
//!
//! ```text
//!  Request   what to vary, which analysis, what to keep            request.rs, vary.rs, cases.rs, sampling/
//!    | plan(): parse the model once, make the design, bind the measures to columns
//!  Plan      immutable, shared by threads                           plan.rs, design.rs, measure/
//!    | run_member(i): overrides → model → analysis → one row        analysis/, member.rs
//!  Journal   one line per finished member, in any order             journal.rs
//!    | sorted by member
//!  Table     CSV and Parquet, the same bits for any number of threads     table.rs
//! ```
//!
//! [`execute`] runs the members that a folder does not have yet; [`run_members`] returns rows without a folder; [`gather`] joins shards; [`StoredSweep`] reads the results.

mod analysis;
mod cases;
mod csv;
mod design;
mod distribution;
mod execute;
mod folder;
mod gather;
mod in_memory;
mod journal;
mod measure;
mod member;
mod normal;
mod plan;
pub mod plot;
mod request;
mod sampling;
mod source;
mod stored;
mod table;
mod vary;

pub use analysis::{Analysis, Critical};
pub use design::{Design, Parameter, Value};
pub use execute::{Execution, Progress, execute};
pub use folder::{Existing, MANIFEST, Shard, SweepFolder};
pub use gather::gather;
pub use in_memory::{Completion, run_members};
pub use measure::Measure;
pub use member::{MemberResult, Status};
pub use plan::{MemberSolution, Plan, ResultColumn};
pub use request::{Cases, Request, Sample, SamplingMethod};
pub use source::{Addition, Extensions};
pub use stored::StoredSweep;
pub use table::csv_table;
