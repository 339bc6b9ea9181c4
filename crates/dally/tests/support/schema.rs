//! Checks values against the published schema of traces.
//!
//! This reads the keywords that the schema uses, and panics at any other. A complete validator brings 37 crates and a
//! minute of building for one test.

use serde_json::{Map, Value};

/// A schema, and the document in which it finds its references.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'a> {
    document: &'a Value,
    schema: &'a Value,
}

/// The schema of traces.
pub(crate) fn of_traces() -> Schema<'static> {
    static SCHEMA: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| {
        serde_json::from_str(include_str!("../../../../docs/trace.schema.json")).unwrap()
    });
    Schema { document: &SCHEMA, schema: &SCHEMA }
}

impl<'a> Schema<'a> {
    fn at(self, schema: &'a Value) -> Self {
        Schema { schema, ..self }
    }

    /// Says where the value does not fit.
    pub(crate) fn validate(self, value: &Value) -> Result<(), String> {
        for (keyword, rule) in self.schema.as_object().expect("a schema is an object") {
            let fits = match keyword.as_str() {
                "$schema" | "$id" | "$defs" | "title" | "description" | "additionalProperties" => true,
                "$ref" => {
                    let path = rule.as_str().and_then(|path| path.strip_prefix('#')).expect("a reference");
                    self.at(self.document.pointer(path).expect("a definition")).validate(value)?;
                    true
                }
                "type" => is_of(value, rule),
                "const" => value == rule,
                "enum" => rule.as_array().is_some_and(|all| all.contains(value)),
                "minimum" => value.is_null() || value.as_i64() >= rule.as_i64(),
                "oneOf" => {
                    let all = rule.as_array().expect("alternatives");
                    all.iter().filter(|one| self.at(one).validate(value).is_ok()).count() == 1
                }
                "items" => {
                    let items = value.as_array().map_or(&[][..], Vec::as_slice);
                    items.iter().try_for_each(|item| self.at(rule).validate(item))?;
                    true
                }
                "required" => rule.as_array().is_some_and(|all| {
                    all.iter().all(|name| name.as_str().is_some_and(|name| value.get(name).is_some()))
                }),
                "properties" => {
                    self.properties(rule.as_object().expect("properties"), value)?;
                    true
                }
                _ => panic!("the keyword `{keyword}` is not known to this test"),
            };
            if !fits {
                return Err(format!("`{keyword}: {rule}` does not hold for {value:.200}"));
            }
        }
        Ok(())
    }

    fn properties(self, known: &'a Map<String, Value>, value: &Value) -> Result<(), String> {
        assert_eq!(self.schema["additionalProperties"], false, "objects list all of their properties");
        for (name, value) in value.as_object().into_iter().flatten() {
            let Some(rule) = known.get(name) else { return Err(format!("there is no property `{name}`")) };
            self.at(rule).validate(value).map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    }
}

/// Returns true if a value has the type, or one of the types.
fn is_of(value: &Value, types: &Value) -> bool {
    match types {
        Value::Array(all) => all.iter().any(|one| is_of(value, one)),
        _ => match types.as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.is_u64() || value.is_i64(),
            Some("null") => value.is_null(),
            _ => panic!("the type {types} is not known to this test"),
        },
    }
}

#[test]
fn the_schema_refuses_what_is_not_a_trace() {
    let refused = |value: Value| of_traces().validate(&value).unwrap_err();
    assert!(refused(serde_json::json!({})).contains("required"));
    assert!(refused(serde_json::json!({ "more": 1 })).contains("no property `more`"));
    assert!(refused(serde_json::json!({ "steps": [{ "number": 0 }] })).contains("minimum"));
    assert!(refused(serde_json::json!({ "failure": { "kind": "other" } })).contains("enum"));
}
