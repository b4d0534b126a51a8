/**
 * Contents of a packed run: the header that the packer writes and the page reads.
 *
 * Mirrors crates/taut-view (scene.rs and the packer). Lengths in metres, angles in radians, quaternions (w, x, y, z).
 */

export type Point = [number, number, number];
export type Turn = [number, number, number, number];

export interface Spot {
  figure: number;
  p: Point;
  q: Turn;
}

export type Form =
  | { type: 'box'; size: Point }
  | { type: 'sphere'; radius: number }
  | { type: 'cylinder'; radius: number; length: number }
  | { type: 'capsule'; radius: number; length: number }
  | { type: 'ellipsoid'; radii: Point }
  | { type: 'rod'; from: Point; to: Point; radius: number }
  | { type: 'polygon'; points: [number, number][] }
  | { type: 'half_space' }
  | { type: 'half_plane' }
  | { type: 'mesh'; vertices: number[]; triangles: number[] };

export interface Visual {
  form: Form;
  p: Point;
  q: Turn;
  origin: 'given' | 'contact' | 'default';
  colour?: string;
}

export interface Tripod {
  name: string;
  p: Point;
  q: Turn;
}

export interface Figure {
  name: string;
  role: 'ground' | 'body' | 'node' | 'station';
  visuals: Visual[];
  markers: Tripod[];
  centre: Point;
}

export type Glyph =
  | 'revolute'
  | 'prismatic_z'
  | 'prismatic_x'
  | 'cylindrical'
  | 'spherical'
  | 'universal'
  | 'plane'
  | 'fixed'
  | 'rolling'
  | 'coupling'
  | 'other';

export interface JointFigure {
  name: string;
  glyph: Glyph;
  kind: string;
  spots: Spot[];
}

export type LineKind =
  'spring' | 'damper' | 'spring_damper' | 'rope' | 'separator' | 'rod' | 'cable' | 'bushing' | 'actuator';

export interface Link {
  name: string;
  line: LineKind;
  spots: Spot[];
  length?: number;
}

export type Outline = { type: 'circle'; radius: number } | { type: 'rectangle'; width: number; height: number };

export interface BeamFigure {
  name: string;
  nodes: number[];
  q: Turn[];
  section: Outline;
}

export type Load = 'reaction' | 'contact' | 'applied' | 'velocity';

export interface Arrow {
  name: string;
  load: Load;
  spot: Spot;
  at?: [string, string, string];
  vector: [string, string, string];
  moment?: [string, string, string];
  /** A reaction that the equations do not determine. */
  determinacy?: 'partly' | 'not_unique';
  /** Sets within which it trades load. */
  trades?: number[];
}

export interface SceneData {
  title: string;
  space: 'planar' | 'spatial';
  gravity: Point;
  figures: Figure[];
  joints: JointFigure[];
  links: Link[];
  beams: BeamFigure[];
  arrows: Arrow[];
}

export interface ArrayInfo {
  length: number;
  coding: 'delta32' | 'f64';
}

/** An index into the arrays, or a value that never changes. */
export type Component = number | { constant: number };

export interface Track {
  p: [Component, Component, Component];
  q: [Component, Component, Component, Component];
}

export interface Column {
  name: string;
  unit: string;
  meaning: string;
  element: string | null;
  family: string;
  array: number;
  /** Values at the instants of the film; only for columns of arrows, if the table is thinned to extremes. */
  film?: number;
}

export interface RunEvent {
  t: number;
  name: string;
  what: string;
  impulse: number | null;
  lost: number | null;
}

export interface Health {
  balance: string | null;
  kinetic: string | null;
  potential: string | null;
  work: string | null;
  position: string | null;
  velocity: string | null;
  acceleration: string | null;
  step: string | null;
  rank: string | null;
  freedoms: string | null;
  trouble: { t: number; element: string; message: string } | null;
}

export type Verdict = 'sound' | 'doubtful' | 'wrong';

export interface Warned {
  t: number | null;
  message: string;
  severity?: 'notice' | 'doubtful' | 'wrong';
  element?: string | null;
}

export interface Summary {
  title: string;
  outcome: string;
  /** Verdict of the audit; null if the run was not audited. */
  verdict: Verdict | null;
  /** The warning that decided the verdict, unless it is sound. */
  cause: Warned | null;
  message: string | null;
  started: string | null;
  ended: string | null;
  freedoms: string;
  method: string;
  settings: [string, string][];
  statistics: [string, string][];
  warnings: Warned[];
  versions: [string, string][];
  model_sha256: string;
  model: string;
}

export interface Extreme {
  name: string;
  kind: 'reaction' | 'contact' | 'applied';
  quantity: string;
  unit: string;
  least: number;
  least_at: number;
  largest: number;
  largest_at: number;
}

export interface ModeShape {
  figure: number;
  translation: [number, number][];
  rotation: [number, number][];
}

export interface Mode {
  label: string;
  frequency: number;
  damping: number | null;
  kind: string;
  growth: number;
  shapes: ModeShape[];
}

export interface Header {
  version: 1;
  scene: SceneData;
  arrays: ArrayInfo[];
  film: { t: number; tracks: Track[] };
  table: { t: number; rows: number; of: number; thinned: 'none' | 'extremes'; columns: Column[] };
  events: RunEvent[];
  health: Health;
  summary: Summary;
  extremes: Extreme[];
  modes: Mode[];
}
