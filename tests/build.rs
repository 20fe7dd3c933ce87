//! Compiles the tests' shims, which are libraries for `LD_PRELOAD`.

use std::{env, error::Error, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    const SHIMS: [(&str, &str); 3] = [
        ("src/powerloss/shim.c", "LEADAPI_POWERLOSS_SHIM"),
        ("src/redis/clock.c", "LEADAPI_TEST_CLOCK_SHIM"),
        ("src/simulation/random.c", "LEADAPI_TEST_RANDOM_SHIM"),
    ];
    for (source, variable) in SHIMS {
        println!("cargo::rerun-if-changed={source}");
        if env::var("CARGO_CFG_TARGET_OS")? == "linux" {
            let library = PathBuf::from(env::var("OUT_DIR")?).join(format!("{variable}.so"));
            let mut compiler = cc::Build::new().get_compiler().to_command();
            compiler.args(["-O2", "-shared", "-fPIC", "-pthread", source, "-o"]).arg(&library);
            assert!(compiler.status()?.success(), "{source} does not compile");
            println!("cargo::rustc-env={variable}={}", library.display());
        }
    }
    Ok(())
}
