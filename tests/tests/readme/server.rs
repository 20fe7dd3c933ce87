//! A server that a README starts.

use leadapi_tests::ServerProcess;

/// Returns the first token that the server printed.
pub(crate) fn first_token(server: &ServerProcess) -> Option<String> {
    let words = server.printed.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.into_iter().find(|word| word.starts_with("pak_")).map(str::to_owned)
}

/// Sends SIGINT, and checks that the server shuts down gracefully.
pub(crate) fn end(mut server: ServerProcess) {
    server.signal("INT");
    let status = server.wait();
    assert!(status.success(), "the server exited with {status}: {}", server.printed);
}
