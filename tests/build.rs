//! Compiles the shim of the power-loss test, a library for `LD_PRELOAD`.

use std::{env, error::Error, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    const SHIM: &str = "src/powerloss/shim.c";
    println!("cargo::rerun-if-changed={SHIM}");
    if env::var("CARGO_CFG_TARGET_OS")? == "linux" {
        let library = PathBuf::from(env::var("OUT_DIR")?).join("libpowerloss.so");
        let mut compiler = cc::Build::new().get_compiler().to_command();
        compiler.args(["-O2", "-shared", "-fPIC", "-pthread", SHIM, "-o"]).arg(&library);
        assert!(compiler.status()?.success(), "the shim does not compile");
        println!("cargo::rustc-env=LEADAPI_POWERLOSS_SHIM={}", library.display());
    }
    Ok(())
}
