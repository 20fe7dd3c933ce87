//! Opens connections to a Redis server, or to the master that the Sentinels name.

use std::{collections::BTreeMap, time::Duration};

use futures_util::future::join_all;
use redis::{
    AsyncConnectionConfig, Client, ConnectionAddr, IntoConnectionInfo, RedisConnectionInfo, aio::MultiplexedConnection,
};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use tokio::time::timeout;

use super::{
    RedisLimiterError, RedisUrl,
    address::Address,
    admission,
    url::{Credentials, Sentinel},
};

/// The time limit for each step: connecting (including the handshake), asking a Sentinel, and checking a connection.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Connects to the server, or to the current master, and checks that it can admit requests.
pub(super) async fn connect(url: &RedisUrl) -> Result<MultiplexedConnection, RedisLimiterError> {
    let server = match (&url.sentinel, url.hosts.first()) {
        (Some(sentinel), _) => &find_master(url, sentinel).await?,
        (None, Some(server)) => server,
        (None, None) => return Err(RedisLimiterError::Failed("the URL has no host".to_owned())),
    };
    let settings = RedisConnectionInfo::default().set_db(url.database.into());
    let mut connection = open(url.tls, server, with(settings, url.credentials.as_ref())).await?;
    check(&mut connection).await?;
    Ok(connection)
}

/// Checks that a connection can admit requests.
pub(super) async fn check(connection: &mut MultiplexedConnection) -> Result<(), RedisLimiterError> {
    within(TIMEOUT, admission::probe(connection)).await
}

/// Waits at most `limit` for a result from Redis.
pub(super) async fn within<T>(
    limit: Duration,
    result: impl Future<Output = Result<T, redis::RedisError>>,
) -> Result<T, RedisLimiterError> {
    Ok(timeout(limit, result).await.map_err(|_| RedisLimiterError::TimedOut(limit))??)
}

/// Asks all Sentinels at the same time, and returns the address that they name most often. A Sentinel that was cut off
/// from the others may still name the old master.
async fn find_master(url: &RedisUrl, sentinel: &Sentinel) -> Result<Address, RedisLimiterError> {
    let answers = join_all(url.hosts.iter().map(|host| ask(url.tls, host, sentinel))).await;
    let mut votes = BTreeMap::<&Address, usize>::new();
    for address in answers.iter().filter_map(|answer| answer.as_ref().ok()?.as_ref()) {
        *votes.entry(address).or_default() += 1;
    }
    if let Some((address, _)) = votes.into_iter().max_by_key(|(_, votes)| *votes) {
        return Ok(address.clone());
    }
    let no_master = RedisLimiterError::NoMaster(sentinel.service.clone());
    // If a Sentinel answered, the service in the URL is probably wrong. Otherwise, the error of a Sentinel is more
    // informative.
    let has_answer = answers.iter().any(Result::is_ok);
    Err(answers.into_iter().find_map(Result::err).filter(|_| !has_answer).unwrap_or(no_master))
}

async fn ask(tls: bool, host: &Address, sentinel: &Sentinel) -> Result<Option<Address>, RedisLimiterError> {
    let settings = RedisConnectionInfo::default().set_skip_set_lib_name();
    let mut connection = open(tls, host, with(settings, sentinel.credentials.as_ref())).await?;
    let mut question = redis::cmd("SENTINEL");
    question.arg("GET-MASTER-ADDR-BY-NAME").arg(&sentinel.service);
    let answer = within(TIMEOUT, question.query_async::<Option<(String, u16)>>(&mut connection)).await?;
    Ok(answer.map(|(host, port)| Address { host, port }))
}

async fn open(
    tls: bool,
    address: &Address,
    settings: RedisConnectionInfo,
) -> Result<MultiplexedConnection, RedisLimiterError> {
    let Address { host, port } = address.clone();
    let address = if tls {
        use_our_tls();
        ConnectionAddr::TcpTls { host, port, insecure: false, tls_params: None }
    } else {
        ConnectionAddr::Tcp(host, port)
    };
    let client = Client::open(address.into_connection_info()?.set_redis_settings(settings))?;
    // The callers have their own time limits.
    let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
    within(TIMEOUT, client.get_multiplexed_async_connection_with_config(&config)).await
}

fn with(settings: RedisConnectionInfo, credentials: Option<&Credentials>) -> RedisConnectionInfo {
    let Some(Credentials { user, password }) = credentials else { return settings };
    let settings = settings.set_password(password);
    user.iter().fold(settings, RedisConnectionInfo::set_username)
}

/// Sets the process's default cryptography provider, unless one is already set. The driver uses this default, and
/// panics if none is set and several are built in.
fn use_our_tls() {
    if CryptoProvider::get_default().is_none() {
        // An error means that another thread has already set a default, which works equally well.
        drop(aws_lc_rs::default_provider().install_default());
    }
}
