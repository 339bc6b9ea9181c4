//! Folders of test programs.

use std::path::{Path, PathBuf};

/// The last part of a path.
pub fn name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The entries of a folder, sorted.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    all.sort();
    all
}

/// The folders in a folder.
pub fn folders(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|p| p.is_dir()).collect()
}

/// The files in a folder with this extension.
pub fn with_extension(folder: &Path, extension: &str) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|p| p.extension().is_some_and(|e| e == extension)).collect()
}

/// The files in a folder, and in all folders below it, with this extension.
pub fn below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = with_extension(folder, extension);
    found.extend(folders(folder).iter().flat_map(|folder| below(folder, extension)));
    found
}
