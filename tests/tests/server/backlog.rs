//! Tests of requests on a connection whose client does not read the responses.

use bytes::Bytes;
use http::Request;
use http_body_util::Empty;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use leadapi_tests::eventually;
use tokio::net::TcpStream;

use crate::host::{Host, SOON, endless, secret};

#[tokio::test]
async fn a_request_behind_an_unread_response_times_out_with_500() {
    let mut limits = endless();
    limits.connection_unread_bytes = 1;
    limits.request = SOON;
    let host = Host::start(limits).await;
    let send = |sender: &mut http2::SendRequest<Empty<Bytes>>| {
        let request =
            Request::get("http://localhost/v1/clients").header("authorization", format!("Bearer {}", secret()));
        sender.send_request(request.body(Empty::new()).unwrap())
    };
    // On a busy machine, the first request may also time out.
    let (mut sender, _unread) = eventually("a response in time", async || {
        let stream = TokioIo::new(TcpStream::connect(host.address).await.unwrap());
        let client = http2::Builder::new(TokioExecutor::new()).initial_stream_window_size(0).handshake(stream).await;
        let (mut sender, connection) = client.unwrap();
        tokio::spawn(connection);
        let response = send(&mut sender).await.unwrap();
        (response.status() == 200).then_some((sender, response))
    })
    .await;
    let refused = send(&mut sender).await.unwrap();
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (500, &"1".parse().unwrap()));
    host.assert_serves_others().await;
}
