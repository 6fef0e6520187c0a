//! Programs that run while they are recorded, for the tests of `heapsmith record -p`.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

use super::heapsmith;
use super::lab::cc;

pub fn built(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder").keep();
        let options = ["-fno-builtin", "-g", "-pthread"];
        let source = &["lab/cli/tests/attached.c"];
        cc(&options, source, &folder.join("attached"));
        cc(
            &[&options[..], &["-lrt"]].concat(),
            &["lab/cli/tests/attached_waits.c"],
            &folder.join("attached-waits"),
        );
        let fixed = ["-no-pie", "-Wl,-z,lazy,-z,norelro"];
        cc(&[&options[..], &fixed].concat(), source, &folder.join("attached-fixed"));
        cc(
            &[&options[..], &["-static", "-Wl,--no-warnings"]].concat(),
            source,
            &folder.join("attached-static"),
        );
        let library = ["-shared", "-fPIC", "-fno-builtin"];
        cc(&library, &["lab/cli/tests/attached_later.c"], &folder.join("later.so"));
        folder
    });
    folder.join(name)
}

/// A program that runs. It is killed if a test fails.
pub struct Running {
    child: Child,
    input: Option<ChildStdin>,
    pub output: BufReader<ChildStdout>,
}

impl Running {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .env_remove("LD_PRELOAD")
            .spawn()
            .expect("it runs");
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        assert_eq!(line, "ready\n");
        Self { child, input, output }
    }

    pub fn mode(mode: &str) -> Self {
        Self::start(Command::new(built("attached")).arg(mode))
    }

    pub fn id(&self) -> String {
        self.child.id().to_string()
    }

    pub fn signal(&self, signal: libc::c_int) {
        // SAFETY: kill has no requirements.
        unsafe { libc::kill(self.child.id() as libc::pid_t, signal) };
    }

    pub fn feed(&mut self, bytes: usize) {
        let input = self.input.as_mut().expect("open");
        input.write_all(&vec![b'x'; bytes]).expect("it reads");
    }

    /// Ends the input. Returns: the exit code and the rest of the output.
    pub fn end(mut self) -> (Option<i32>, String) {
        self.input = None;
        let mut text = String::new();
        self.output.read_to_string(&mut text).expect("text");
        (self.child.wait().expect("it ends").code(), text)
    }

    pub fn assert_unharmed(self) {
        assert_eq!(self.end(), (Some(3), "done\n".to_string()));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

pub fn record(folder: &Path, options: &[&str]) -> Command {
    let mut command = heapsmith(folder);
    command.args(["record", "-f", "-o", "t.trace"]).args(options);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub fn assert_done(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    text
}

/// A recording that has begun.
pub struct Begun {
    command: Child,
    errors: BufReader<ChildStderr>,
    text: String,
}

impl Begun {
    pub fn of(folder: &Path, running: &Running) -> Self {
        let mut command = record(folder, &["-p", &running.id()]).spawn().expect("it runs");
        let mut errors = BufReader::new(command.stderr.take().expect("a pipe"));
        let mut text = String::new();
        errors.read_line(&mut text).expect("a line");
        assert!(text.starts_with("heapsmith: recording process"), "{text}");
        Self { command, errors, text }
    }

    pub fn interrupt(&self) {
        // SAFETY: kill has no requirements.
        unsafe { libc::kill(self.command.id() as libc::pid_t, libc::SIGINT) };
    }

    /// Waits for its end. Returns: what it said.
    pub fn end(mut self) -> String {
        self.errors.read_to_string(&mut self.text).expect("text");
        let code = self.command.wait().expect("it ends").code();
        assert_eq!(code, Some(0), "{}", self.text);
        self.text
    }
}

/// Records the program while it is fed.
pub fn record_while_fed(folder: &Path, running: &mut Running, bytes: usize) {
    let begun = Begun::of(folder, running);
    running.feed(bytes);
    sleep(Duration::from_millis(100));
    begun.interrupt();
    begun.end();
}
