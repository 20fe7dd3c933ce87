//! Checks requests and responses against the OpenAPI document.

use std::{collections::HashMap, sync::LazyLock};

use bytes::Bytes;
use http::{HeaderValue, Method, Request};
use jsonschema::Validator;
use leadapi_core::http::{Endpoint, TABLE};
use serde_json::{Value, json};

use crate::TestResponse;

const FILE: &str = include_str!("../../leadapi-core/openapi.json");

/// Response headers that the OpenAPI document does not list, because HTTP adds them or `content` describes them.
const OF_HTTP: [&str; 3] = ["content-length", "content-type", "date"];

/// The OpenAPI document and a compiled validator for each of its schemas.
#[derive(Debug)]
pub struct Description {
    /// The parsed document.
    pub document: Value,
    /// The compiled validators, keyed by the JSON pointer of each schema.
    validators: HashMap<String, Validator>,
}

impl Description {
    /// Returns the committed document (`leadapi-core/openapi.json`). Adds descriptions of the responses to an unknown
    /// path and to an unknown method, which belong to no operation.
    pub fn committed() -> &'static Self {
        static COMMITTED: LazyLock<Description> = LazyLock::new(|| {
            let mut document: Value = serde_json::from_str(FILE).unwrap();
            for (name, headers) in [("NoSuchPath", json!({})), ("MethodNotAllowed", json!({ "Allow": allow() }))] {
                document["components"]["responses"][name] = of_no_operation(headers);
            }
            Description::new(document)
        });
        &COMMITTED
    }

    fn new(document: Value) -> Self {
        let mut pointers = Vec::new();
        schemas(&document, String::new(), &mut pointers);
        let validators = pointers.into_iter().map(|pointer| {
            let mut schema = document.pointer(&pointer).unwrap().clone();
            // Schemas reference each other with pointers from the document root, so each schema needs the shared
            // components.
            schema["components"] = document["components"].clone();
            let validator = jsonschema::options().should_validate_formats(true).build(&schema);
            let validator = validator.unwrap_or_else(|error| panic!("{pointer} is not a schema: {error}"));
            (pointer, validator)
        });
        Self { validators: validators.collect(), document }
    }

    /// Returns how a response differs from the document. Also checks the request if the response is a success.
    pub(crate) fn breaks(&self, request: &Request<Bytes>, path: &str, answer: &TestResponse) -> Vec<String> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let (place, operation) = place(request.method(), path, answer.status.as_u16());
        let Some((place, response)) = place.and_then(|place| self.resolved(&place)) else {
            return vec![format!("OpenAPI: {} {path} has no {}", request.method(), answer.status)];
        };
        let mut wrong = self.headers(&place, response, answer);
        if *request.method() != Method::HEAD {
            wrong.extend(self.body(&place, response, answer));
        }
        if let Some(operation) = operation.filter(|_| answer.status.is_success()) {
            wrong.extend(self.request(&operation, query, request.body()));
        }
        wrong
    }

    /// Resolves a pointer, following `$ref`, and returns the final pointer and its value. Returns `None` if the
    /// document has no such value.
    pub fn resolved(&self, pointer: &str) -> Option<(String, &Value)> {
        let found = self.document.pointer(pointer)?;
        match found.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#')) {
            Some(to) => self.resolved(to),
            None => Some((pointer.to_owned(), found)),
        }
    }

    fn headers(&self, place: &str, response: &Value, answer: &TestResponse) -> Vec<String> {
        let mut wrong = Vec::new();
        let described = response["headers"].as_object().expect("every response has headers");
        for name in answer.headers.keys().filter(|name| !OF_HTTP.contains(&name.as_str())) {
            if !described.keys().any(|known| known.eq_ignore_ascii_case(name.as_str())) {
                wrong.push(format!("OpenAPI: {place} has no header {name}"));
            }
        }
        for name in described.keys() {
            let (pointer, header) = self.resolved(&format!("{place}/headers/{name}")).expect("a header");
            let values: Vec<_> = answer.headers.get_all(name).iter().collect();
            match values[..] {
                [] if header["required"] == true => wrong.push(format!("OpenAPI: {name} must not be missing")),
                [] => {}
                [value] => wrong.extend(self.invalid(&format!("{pointer}/schema"), &of_header(value, header))),
                _ => wrong.push(format!("OpenAPI: {name} occurs more than once")),
            }
        }
        wrong
    }

    fn body(&self, place: &str, response: &Value, answer: &TestResponse) -> Vec<String> {
        let described = response.pointer("/content/application~1json").is_some();
        match (described, answer.header("content-type").as_deref()) {
            (false, None) if answer.body.is_empty() => Vec::new(),
            (true, Some("application/json")) => {
                self.invalid(&format!("{place}/content/application~1json/schema"), &answer.json())
            }
            (_, content) => vec![format!("OpenAPI: {place} does not describe {content:?} {:?}", answer.text())],
        }
    }

    /// Checks that the document describes every query parameter and body field of an accepted request. Checks only the
    /// names, because the service trims values before it validates them and so may accept a value that the schema
    /// rejects.
    fn request(&self, operation: &str, query: &str, body: &Bytes) -> Vec<String> {
        let mut wrong = Vec::new();
        let parameters = self.document.pointer(&format!("{operation}/parameters")).and_then(Value::as_array);
        let known: Vec<&Value> = (0..parameters.map_or(0, Vec::len))
            .map(|at| self.resolved(&format!("{operation}/parameters/{at}")).expect("a parameter").1)
            .collect();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let name = pair.split('=').next().unwrap();
            if !name.contains('%') && !known.iter().any(|known| known["in"] == "query" && known["name"] == name) {
                wrong.push(format!("OpenAPI: {operation} has no parameter {name}"));
            }
        }
        let schema = format!("{operation}/requestBody/content/application~1json/schema");
        if let Some((place, schema)) = self.resolved(&schema) {
            let body: Value = serde_json::from_slice(body).unwrap_or_default();
            for name in body.as_object().into_iter().flatten().map(|(name, _)| name) {
                if schema["properties"].get(name).is_none() {
                    wrong.push(format!("OpenAPI: {place} has no field {name}"));
                }
            }
        }
        wrong
    }

    /// Validates a value against the schema at a pointer, and returns the errors.
    pub fn invalid(&self, schema: &str, value: &Value) -> Vec<String> {
        let validator = self.validators.get(schema).unwrap_or_else(|| panic!("{schema} is not a schema"));
        validator.iter_errors(value).map(|error| format!("OpenAPI: {schema}: {error}")).collect()
    }
}

/// Describes the response to an unknown path or method. OpenAPI cannot describe it, because the response belongs to no
/// operation.
fn of_no_operation(mut headers: Value) -> Value {
    for name in ["Cache-Control", "X-Content-Type-Options", "X-Request-Id"] {
        headers[name] = json!({ "$ref": format!("#/components/headers/{name}") });
    }
    let schema = json!({ "$ref": "#/components/schemas/Error" });
    let example = json!({ "error": "path: there is no such path" });
    json!({ "headers": headers, "content": { "application/json": { "schema": schema, "example": example } } })
}

/// Describes the `Allow` header, which lists the methods of a path (contract D2).
fn allow() -> Value {
    let schema = json!({ "type": "string", "pattern": "^GET, HEAD(, POST|, PATCH, DELETE)?$" });
    json!({ "required": true, "schema": schema, "example": "GET, HEAD, POST" })
}

/// Returns two JSON Pointers into the OpenAPI document: to the response with this status, and to the operation. The
/// second one is `None` if no operation has this path and method.
fn place(method: &Method, path: &str, status: u16) -> (Option<String>, Option<String>) {
    let shared = |name: &str| (Some(format!("/components/responses/{name}")), None);
    let here = |line: &&Endpoint| match line.path.strip_suffix("{id}") {
        Some(before) => path.strip_prefix(before).is_some_and(|id| !id.is_empty() && !id.contains('/')),
        None => line.path == path,
    };
    let lines: Vec<_> = TABLE.iter().filter(here).collect();
    let wanted = if *method == Method::HEAD { &Method::GET } else { method };
    match lines.iter().find(|line| line.method == wanted) {
        _ if lines.is_empty() => shared(if status == 404 { "NoSuchPath" } else { "" }),
        None => shared(if status == 405 { "MethodNotAllowed" } else { "" }),
        Some(line) => {
            let path = line.path.replace('/', "~1");
            let operation = format!("/paths/{path}/{}", line.method.as_str().to_ascii_lowercase());
            (Some(format!("{operation}/responses/{status}")), Some(operation))
        }
    }
}

/// Returns the header's value, as a number if the document declares the header an integer.
fn of_header(value: &HeaderValue, header: &Value) -> Value {
    let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
    match text.parse::<u64>() {
        Ok(number) if header["schema"]["type"] == "integer" => json!(number),
        _ => json!(text),
    }
}

/// Collects pointers to all schemas: the named schemas, and the inline ones in parameters, headers and bodies.
fn schemas(value: &Value, pointer: String, found: &mut Vec<String>) {
    if pointer.ends_with("/schema")
        || pointer.rsplit_once('/').is_some_and(|(parent, _)| parent == "/components/schemas")
    {
        found.push(pointer);
        return;
    }
    let members = value.as_object().into_iter().flatten().map(|(name, value)| (name.replace('/', "~1"), value));
    let items = value.as_array().into_iter().flatten().enumerate().map(|(at, value)| (at.to_string(), value));
    for (name, value) in members.chain(items) {
        schemas(value, format!("{pointer}/{name}"), found);
    }
}
