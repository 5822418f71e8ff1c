//! The consultations of each user, in a file each, because instances are short-lived and run concurrently.

use std::fs;
use std::path::PathBuf;

use portal::Views;

pub fn read(sub: &str) -> Views {
    fs::read(file_of(sub)).map_or_else(|_| Views::new(), |text| serde_json::from_slice(&text).unwrap_or_default())
}

/// Replaces the file atomically, so that readers never see a part of it.
pub fn write(sub: &str, views: &Views) {
    let (path, text) = (file_of(sub), serde_json::to_vec(views).expect("numbers by name can be written as JSON"));
    let next = path.with_extension(format!("{:x}", rand::random::<u64>()));
    fs::write(&next, text).and_then(|()| fs::rename(&next, path)).expect("the folder can be written to");
}

fn file_of(sub: &str) -> PathBuf {
    let name: String = sub.bytes().map(|byte| format!("{byte:02x}")).collect();
    PathBuf::from("/data").join(name).with_extension("json")
}
