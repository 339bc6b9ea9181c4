//! The headers of dally as files.

use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

use dally_c::library::HEADERS;

/// The folder of the headers, as diagnostics name it.
pub(crate) const HEADERS_FOLDER: &str = "<dally>";

/// The text of a header, by its name.
pub(crate) fn header(name: &str) -> Option<&'static str> {
    HEADERS.iter().find(|(other, _)| *other == name).map(|(_, text)| *text)
}

/// A private folder with all headers, which exists as long as this value.
pub(super) struct Headers {
    folder: PathBuf,
}

impl Headers {
    pub(super) fn write() -> Result<Self> {
        let headers = Headers { folder: private_folder()? };
        for (name, text) in HEADERS {
            let path = headers.folder.join(name);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(path, text)?;
        }
        Ok(headers)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a file in place of another one, under whose name the compiler knows it.
    pub(super) fn copy(&self, file: &str, text: &str) -> Result<PathBuf> {
        let path = self.folder.join("unit.c");
        let name = file.replace('\\', "\\\\").replace('"', "\\\"");
        std::fs::write(&path, format!("# 1 \"{name}\"\n{text}"))?;
        Ok(path)
    }

    /// The output of the compiler, with a name for the folder that is the same in every run.
    pub(super) fn hide(&self, text: &str) -> String {
        text.replace(&*self.folder.to_string_lossy(), HEADERS_FOLDER)
    }
}

impl Drop for Headers {
    fn drop(&mut self) {
        // The folder is in the folder for temporary files: what cannot be removed is removed by the system.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Creates a folder that only the user can enter.
fn private_folder() -> Result<PathBuf> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    for attempt in 0..1000 {
        let path = std::env::temp_dir().join(format!("dally-{}-{attempt}", std::process::id()));
        match builder.create(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            created => return created.map(|()| path),
        }
    }
    Err(Error::from(ErrorKind::AlreadyExists))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_private_and_removed() {
        let headers = Headers::write().unwrap();
        let folder = headers.folder().to_owned();
        assert!(folder.join("sys/types.h").exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        }
        assert_eq!(
            headers.hide(&format!("# 1 \"{}/assert.h\"", folder.display())),
            "# 1 \"<dally>/assert.h\""
        );
        drop(headers);
        assert!(!folder.exists());
    }
}
