//! Tests of the import against a fake of the service.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{fs, path::PathBuf};

use clap::Parser;
use leadapi_client::testkit::FakeLeadApi;
use tempfile::TempDir;

use crate::{Args, import, report::Report};

/// Imports three rows into a client account on the fake.
async fn import_three(api: &FakeLeadApi, folder: &TempDir, account: &str) -> Report {
    let file = folder.path().join("leads.csv");
    fs::write(&file, "name\nAnn\nBo\nCy\n").unwrap();
    let args = ["import_csv".into(), file, "--client".into(), PathBuf::from(account)];
    import(&Args::parse_from(args), &api.client()).await.unwrap()
}

#[tokio::test]
async fn a_wrong_client_account_is_reported_as_an_error_of_the_command_line() {
    let (api, folder) = (FakeLeadApi::start().await, TempDir::new().unwrap());
    let report = import_three(&api, &folder, "of-another-business").await;
    let text = report.to_string();
    assert!(!report.is_complete());
    assert!(text.contains("client_id: no such client account in this business\nCorrect --client and run"), "{text}");
    // The report must suggest neither correcting the rows, which are valid, nor running the same command again, which
    // would fail again.
    assert!(!text.contains("Run the same command again") && !text.contains("refused rows"), "{text}");
    assert!(!folder.path().join("leads.csv.refused.csv").exists());

    let report = import_three(&api, &folder, "casa-verde").await;
    assert!(report.is_complete(), "{report}");
}
