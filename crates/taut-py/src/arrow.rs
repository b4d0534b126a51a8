//! Columns for Arrow without a copy: the C data interface, in the capsules of the PyCapsule protocol.
//!
//! The layouts below are those of the Arrow C data and stream interfaces. An array keeps the NumPy arrays alive whose memory it lends.
#![allow(unsafe_code)]

use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

#[repr(C)]
struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

// SAFETY: the stream is a table of functions and a pointer that only they use; a capsule is used by one thread at a time.
unsafe impl Send for ArrowArrayStream {}

/// What a schema or an array owns.
struct Owned<T> {
    _texts: Vec<CString>,
    children: Vec<*mut T>,
    _buffers: Vec<*const c_void>,
    _owner: Option<Py<PyAny>>,
}

/// A table: names, units, and one array per column.
struct ArrowTable {
    columns: Vec<(String, String, Py<PyArray1<f64>>)>,
    length: usize,
    delivered: bool,
}

/// A key and a value in the binary form of the metadata.
fn metadata(key: &str, value: &str) -> Vec<u8> {
    let mut bytes = 1_i32.to_ne_bytes().to_vec();
    for text in [key, value] {
        bytes.extend((text.len() as i32).to_ne_bytes());
        bytes.extend(text.as_bytes());
    }
    bytes
}

fn text(s: &str) -> CString {
    CString::new(s.replace('\0', " ")).unwrap_or_default()
}

impl ArrowTable {
    fn schema(&self) -> ArrowSchema {
        let child = |(name, unit, _): &(String, String, Py<PyArray1<f64>>)| {
            // The metadata contain zero bytes, so they are kept as a vector, leaked until the schema is released.
            let meta = Box::into_raw(Box::new(metadata("unit", unit)));
            let owned = SchemaChild { _format: text("g"), _name: text(name), meta };
            // SAFETY: `meta` was made by the line above.
            let pointer = unsafe { (*meta).as_ptr().cast::<c_char>() };
            let schema = ArrowSchema {
                format: owned._format.as_ptr(),
                name: owned._name.as_ptr(),
                metadata: pointer,
                flags: 0,
                n_children: 0,
                children: null_mut(),
                dictionary: null_mut(),
                release: Some(release_schema_child),
                private_data: Box::into_raw(Box::new(owned)).cast(),
            };
            Box::into_raw(Box::new(schema))
        };
        let mut owned = Box::new(Owned {
            _texts: vec![text("+s"), text("")],
            children: self.columns.iter().map(child).collect(),
            _buffers: Vec::new(),
            _owner: None,
        });
        ArrowSchema {
            format: owned._texts[0].as_ptr(),
            name: owned._texts[1].as_ptr(),
            metadata: null(),
            flags: 0,
            n_children: owned.children.len() as i64,
            children: owned.children.as_mut_ptr(),
            dictionary: null_mut(),
            release: Some(release_schema),
            private_data: Box::into_raw(owned).cast(),
        }
    }

    fn array(&self, py: Python<'_>) -> ArrowArray {
        let child = |(_, _, values): &(String, String, Py<PyArray1<f64>>)| {
            let data = values.bind(py).data().cast_const().cast::<c_void>();
            let mut owned = Box::new(Owned::<ArrowArray> {
                _texts: Vec::new(),
                children: Vec::new(),
                _buffers: vec![null(), data],
                _owner: Some(values.clone_ref(py).into_any()),
            });
            let array = ArrowArray {
                length: self.length as i64,
                null_count: 0,
                offset: 0,
                n_buffers: 2,
                n_children: 0,
                buffers: owned._buffers.as_mut_ptr(),
                children: null_mut(),
                dictionary: null_mut(),
                release: Some(release_array),
                private_data: Box::into_raw(owned).cast(),
            };
            Box::into_raw(Box::new(array))
        };
        let mut owned = Box::new(Owned {
            _texts: Vec::new(),
            children: self.columns.iter().map(child).collect(),
            _buffers: vec![null()],
            _owner: None,
        });
        ArrowArray {
            length: self.length as i64,
            null_count: 0,
            offset: 0,
            n_buffers: 1,
            n_children: owned.children.len() as i64,
            buffers: owned._buffers.as_mut_ptr(),
            children: owned.children.as_mut_ptr(),
            dictionary: null_mut(),
            release: Some(release_array),
            private_data: Box::into_raw(owned).cast(),
        }
    }
}

struct SchemaChild {
    _format: CString,
    _name: CString,
    meta: *mut Vec<u8>,
}

// SAFETY (all functions below): the interface promises that they are called with structures made above, at most once after which
// `release` is null; a consumer may move a structure, so only `private_data` is used to find what it owns.
unsafe extern "C" fn release_schema_child(schema: *mut ArrowSchema) {
    let owned = unsafe { Box::from_raw((*schema).private_data.cast::<SchemaChild>()) };
    drop(unsafe { Box::from_raw(owned.meta) });
    unsafe { (*schema).release = None };
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    let owned = unsafe { Box::from_raw((*schema).private_data.cast::<Owned<ArrowSchema>>()) };
    for child in &owned.children {
        let child = unsafe { Box::from_raw(*child) };
        let mut child = child;
        if let Some(release) = child.release {
            unsafe { release(&raw mut *child) };
        }
    }
    unsafe { (*schema).release = None };
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    let owned = unsafe { Box::from_raw((*array).private_data.cast::<Owned<ArrowArray>>()) };
    for child in &owned.children {
        let mut child = unsafe { Box::from_raw(*child) };
        if let Some(release) = child.release {
            unsafe { release(&raw mut *child) };
        }
    }
    unsafe { (*array).release = None };
    // A consumer may release from a thread that does not hold the interpreter lock.
    Python::attach(|_| drop(owned));
}

unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    let table = unsafe { &*(*stream).private_data.cast::<ArrowTable>() };
    unsafe { out.write(table.schema()) };
    0
}

unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    let table = unsafe { &mut *(*stream).private_data.cast::<ArrowTable>() };
    if table.delivered {
        let end = ArrowArray {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: null_mut(),
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private_data: null_mut(),
        };
        unsafe { out.write(end) };
        return 0;
    }
    table.delivered = true;
    Python::attach(|py| unsafe { out.write(table.array(py)) });
    0
}

unsafe extern "C" fn get_last_error(_stream: *mut ArrowArrayStream) -> *const c_char {
    null()
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    let table = unsafe { Box::from_raw((*stream).private_data.cast::<ArrowTable>()) };
    unsafe { (*stream).release = None };
    Python::attach(|_| drop(table));
}

impl Drop for ArrowArrayStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the stream was not released; a consumer that moved it has set `release` to null.
            unsafe { release(self) };
        }
    }
}

/// A table of columns `(name, unit, array)` as a capsule of the Arrow stream interface.
#[pyfunction]
pub(crate) fn arrow_stream<'py>(
    py: Python<'py>,
    columns: Vec<(String, String, Py<PyArray1<f64>>)>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let length = columns.first().map_or(0, |(.., values)| values.bind(py).len());
    for (name, _, values) in &columns {
        let values = values.bind(py);
        if values.len() != length || !values.is_contiguous() {
            return Err(PyValueError::new_err(format!(
                "column `{name}` is not a contiguous array of {length} numbers"
            )));
        }
    }
    let stream = ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private_data: Box::into_raw(Box::new(ArrowTable { columns, length, delivered: false })).cast(),
    };
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}
