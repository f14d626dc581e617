//! As much of JSON Schema as `docs/json-schema.json` uses. A word that is not known here is a failure, so that nothing
//! in the file goes unchecked.

use serde_json::{Map, Value};

/// What is wrong with `value`, each with the path to it; empty if it is as the schema says.
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, value, "", &mut found);
    found
}

fn check(schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    let schema = schema.as_object().expect("a schema is an object");
    for (word, demand) in schema {
        match word.as_str() {
            "description" | "required" => {}
            "type" => {
                if !types(demand).iter().any(|name| is(name, value)) {
                    found.push(format!("{path}: {value} is no {demand}"));
                }
            }
            "enum" => {
                let listed = demand.as_array().expect("a list of values");
                if !listed.contains(value) {
                    found.push(format!("{path}: {value} is none of {demand}"));
                }
            }
            "minimum" => {
                if value.as_f64().is_some_and(|number| number < demand.as_f64().expect("a number")) {
                    found.push(format!("{path}: {value} is below {demand}"));
                }
            }
            "items" => {
                for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(demand, item, &format!("{path}[{at}]"), found);
                }
            }
            "properties" => {
                let Some(object) = value.as_object() else { continue };
                keys(schema, demand.as_object().expect("an object of keys"), object, path, found);
            }
            "additionalProperties" => {
                let Some(object) = value.as_object() else { continue };
                let named = schema.get("properties").and_then(Value::as_object);
                let others =
                    object.iter().filter(|(key, _)| named.is_none_or(|named| !named.contains_key(*key)));
                for (key, value) in others {
                    if *demand == Value::Bool(false) {
                        found.push(format!("{path}: the key `{key}` is not in the schema"));
                    } else {
                        check(demand, value, &format!("{path}.{key}"), found);
                    }
                }
            }
            other => panic!("{path}: the tests do not know the word `{other}` of JSON Schema"),
        }
    }
}

fn keys(
    schema: &Map<String, Value>,
    properties: &Map<String, Value>,
    object: &Map<String, Value>,
    path: &str,
    found: &mut Vec<String>,
) {
    for (key, demand) in properties {
        match object.get(key) {
            Some(value) => check(demand, value, &format!("{path}.{key}"), found),
            None if is_required(schema, key) => found.push(format!("{path}: the key `{key}` is missing")),
            None => {}
        }
    }
}

/// True if an object of the schema must have the key.
pub fn is_required(schema: &Map<String, Value>, key: &str) -> bool {
    schema.get("required").and_then(Value::as_array).is_some_and(|list| list.iter().any(|name| name == key))
}

/// The names of a type: one, or a list of them.
pub fn types(demand: &Value) -> Vec<&str> {
    match demand {
        Value::Array(names) => names.iter().map(|name| name.as_str().expect("the name of a type")).collect(),
        name => vec![name.as_str().expect("the name of a type")],
    }
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type `{other}`"),
    }
}

#[test]
fn what_does_not_fit_is_found() {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "kind": { "type": "string", "enum": ["a", "b"] },
            "count": { "type": ["integer", "null"], "minimum": 0 },
            "list": { "type": "array", "items": { "type": "number" } },
            "map": { "type": "object", "additionalProperties": { "type": "boolean" } },
        },
        "required": ["kind"],
        "additionalProperties": false,
    });
    let number = |text: &str| faults(&schema, &serde_json::from_str(text).expect(text)).len();
    for right in [r#"{"kind":"a"}"#, r#"{"kind":"b","count":null,"list":[1,2.5],"map":{"x":true}}"#] {
        assert_eq!(number(right), 0, "{right}");
    }
    for wrong in [
        "7",
        "{}",
        r#"{"kind":"c"}"#,
        r#"{"kind":"a","more":1}"#,
        r#"{"kind":"a","count":-1}"#,
        r#"{"kind":"a","count":1.5}"#,
        r#"{"kind":"a","list":[1,"2"]}"#,
        r#"{"kind":"a","map":{"x":0}}"#,
    ] {
        assert_eq!(number(wrong), 1, "{wrong}");
    }
}
