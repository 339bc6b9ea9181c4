//! Project files (`.pproj`), which list the files of a program.

/// The contents of a project file. Paths are relative to its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// Its name.
    pub name: String,
    /// Files of the program, and folders with such files.
    pub files: Vec<String>,
    /// The project files of its dependencies.
    pub includes: Vec<String>,
}

/// Parses the text of a project file; an error is a message.
pub fn parse(text: &str) -> Result<Project, String> {
    let document = roxmltree::Document::parse(text).map_err(|error| format!("invalid XML: {error}"))?;
    let root = document.root_element();
    if !root.has_tag_name("Project") {
        return Err(format!("expected the element `Project`, found `{}`", root.tag_name().name()));
    }
    let mut project = Project::default();
    for node in root.descendants().filter(roxmltree::Node::is_element) {
        let text = node.text().unwrap_or("").trim().to_owned();
        match node.tag_name().name() {
            "ProjectName" => project.name = text,
            "PFile" if !text.is_empty() => project.files.push(text),
            "IncludeProject" if !text.is_empty() => project.includes.push(text),
            _ => {}
        }
    }
    if project.files.is_empty() {
        return Err("the project has no element `PFile`".to_owned());
    }
    Ok(project)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_projects_are_found() {
        let text = "<!-- x --><Project><ProjectName>A</ProjectName><InputFiles><PFile> ./src/ </PFile>\
                    <PFile>b.p</PFile></InputFiles><IncludeProject>../t.pproj</IncludeProject></Project>";
        let project = parse(text).unwrap_or_default();
        assert_eq!(project.name, "A");
        assert_eq!(project.files, ["./src/", "b.p"]);
        assert_eq!(project.includes, ["../t.pproj"]);
    }

    #[test]
    fn errors_are_reported() {
        assert!(parse("<Project").is_err_and(|e| e.starts_with("invalid XML")));
        assert!(parse("<P/>").is_err_and(|e| e.contains("`P`")));
        assert!(parse("<Project/>").is_err_and(|e| e.contains("`PFile`")));
    }
}
