//! Where functions lie in a process: the symbols of the files that are mapped into it.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::Result;
use heapsmith_measure::error::environment;
use heapsmith_trace::identity::parse;
use heapsmith_trace::modules::path_of;
use heapsmith_trace::regular::Mapped;
use object::{Object, ObjectSegment, ObjectSymbol};

use super::process::{Part, Process};

/// A mapped file, and how it lies in the process.
struct Module {
    from: u64,
    /// Of its first part.
    first_to: u64,
    to: u64,
    /// As the kernel wrote it.
    file: Vec<u8>,
}

impl Module {
    /// The path as the process knows it.
    fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.file))
    }

    fn name(&self) -> &[u8] {
        self.path().file_name().unwrap_or_default().as_bytes()
    }

    /// The file as the process sees it, which may have another root. A file that lost its name can be
    /// reached by some users only.
    fn open(&self, process: &Process) -> Option<Mapped> {
        let named = path_of(&process.file("root"), &self.file);
        let mapped = process.file(&format!("map_files/{:x}-{:x}", self.from, self.first_to));
        Mapped::open(&named).or_else(|_| Mapped::open(&mapped)).ok()
    }
}

pub struct Functions {
    modules: Vec<Module>,
    /// Addresses in libc.
    pub mmap: u64,
    pub munmap: u64,
    pub dlopen: u64,
    pub dlerror: u64,
    pub errno_location: u64,
    /// Of libpthread before glibc 2.34. None: the process has no threads of POSIX.
    pub set_cancel_state: Option<u64>,
    /// Where functions of the allocator begin: of malloc and free, at most four.
    pub allocator: Vec<u64>,
    allocators_module: usize,
    libc: usize,
    /// None: of a process without the dynamic linker's file.
    linker: Option<usize>,
}

const CANCEL_STATE: &str = "pthread_setcancelstate";
const ALLOCATOR: [&str; 4] = ["malloc", "free", "calloc", "realloc"];

impl Functions {
    pub fn find(process: &Process) -> Result<Self> {
        require_same_machine(process)?;
        let modules = modules_of(&process.maps()?);
        let starts = |module: &Module, with: &str| module.name().starts_with(with.as_bytes());
        let libc = |module: &Module| starts(module, "libc.so.6") || starts(module, "libc-2.");
        let Some(libc) = modules.iter().position(libc) else {
            return Err(environment(format!(
                "process {} has no glibc: programs that are linked statically, or with musl, cannot \
                 load the recorder",
                process.id
            )));
        };
        let in_libc = symbols(
            process,
            &modules[libc],
            &["mmap", "munmap", "dlopen", "dlerror", "__errno_location", CANCEL_STATE],
        );
        let threads = modules.iter().find(|module| starts(module, "libpthread"));
        let in_threads = threads.and_then(|module| symbols(process, module, &[CANCEL_STATE])[0]);
        let set_cancel_state = in_libc[5].or(in_threads);
        let libdl = modules.iter().find(|module| starts(module, "libdl"));
        let in_libdl = libdl.map(|module| symbols(process, module, &["dlopen", "dlerror"]));
        let in_libdl = in_libdl.unwrap_or_default();
        let dl = |n: usize| in_libc[n + 2].or_else(|| *in_libdl.get(n)?);
        let (Some(mmap), Some(munmap), Some(dlopen), Some(dlerror), Some(errno_location)) =
            (in_libc[0], in_libc[1], dl(0), dl(1), in_libc[4])
        else {
            let (id, file) = (process.id, modules[libc].path());
            process.require_same_file(file)?; // in an empty root, there is no file to look into
            return Err(environment(format!("process {id}: no dlopen in {}", file.display())));
        };
        let (allocators_module, allocator) = find_allocator(process, &modules, libc);
        let linker = modules.iter().position(|module| starts(module, "ld-"));
        Ok(Self {
            modules,
            mmap,
            munmap,
            dlopen,
            dlerror,
            errno_location,
            set_cancel_state,
            allocator,
            allocators_module,
            libc,
            linker,
        })
    }

    /// Whether a thread that waits at this address holds no lock of the linker or the allocator:
    /// libc itself does not wait under them in a system call.
    pub fn may_wait_at(&self, address: u64) -> bool {
        let module = self.module_of(address);
        let is_in_allocator = module == Some(self.allocators_module) && module != Some(self.libc);
        module.is_none_or(|module| Some(module) != self.linker)
            && (!is_in_allocator || self.is_program(self.allocators_module))
    }

    /// Whether a call of the allocator from here holds none of these locks.
    pub fn may_call_from(&self, address: u64) -> bool {
        self.module_of(address)
            .is_some_and(|module| module != self.libc && Some(module) != self.linker)
    }

    pub fn is_in_libc(&self, address: u64) -> bool {
        self.module_of(address) == Some(self.libc)
    }

    fn is_program(&self, module: usize) -> bool {
        module == 0
    }

    fn module_of(&self, address: u64) -> Option<usize> {
        self.modules.iter().position(|each| (each.from..each.to).contains(&address))
    }
}

fn require_same_machine(process: &Process) -> Result<()> {
    let mut head = [0; 20];
    let exe = File::open(process.file("exe")).map_err(|_| process.refusal())?;
    let is_whole = exe.read_exact_at(&mut head, 0).is_ok();
    let is_same = is_whole && head.starts_with(b"\x7fELF\x02") && head[18..] == [62, 0];
    if !is_same {
        let id = process.id;
        return Err(environment(format!("process {id} is no 64-bit program of this processor")));
    }
    Ok(())
}

/// Files that have code, each with its whole range. The first is the program.
fn modules_of(parts: &[Part]) -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    for part in parts.iter().filter(|part| !part.file.is_empty()) {
        match modules.last_mut() {
            Some(last) if last.file == part.file => last.to = part.to,
            _ => modules.push(Module {
                from: part.from,
                first_to: part.to,
                to: part.to,
                file: part.file.clone(),
            }),
        }
    }
    let has_code = |module: &Module| {
        parts.iter().any(|part| part.is_code && (module.from..module.to).contains(&part.from))
    };
    modules.retain(has_code);
    modules
}

/// The first file, in the order in which the linker searches, that defines malloc: the program, a
/// preloaded library, a library that it needs, or libc. /proc/PID/maps has another order, so
/// libc is taken only if no other file has it.
fn find_allocator(process: &Process, modules: &[Module], libc: usize) -> (usize, Vec<u64>) {
    let recorder = |module: &Module| module.name() == b"libheapsmith_recorder.so";
    let others = (0..modules.len()).filter(|&n| n != libc && !recorder(&modules[n]));
    let of_libc: Vec<u64> =
        symbols(process, &modules[libc], &ALLOCATOR).into_iter().flatten().collect();
    let found = others.into_iter().find_map(|n| {
        let found = symbols(process, &modules[n], &ALLOCATOR);
        found[0].map(|_| (n, found.into_iter().flatten().take(2)))
    });
    match found {
        // A thread has four breakpoints. The file may be one that nothing else calls.
        Some((n, first)) => (n, first.chain(of_libc.into_iter().take(2)).collect()),
        None => (libc, of_libc),
    }
}

/// The addresses in the process of the functions that a file defines.
fn symbols(process: &Process, module: &Module, names: &[&str]) -> Vec<Option<u64>> {
    let mut found = vec![None; names.len()];
    let Some(file) = module.open(process) else { return found };
    let Some(object) = parse(&file) else { return found };
    let Some(first) = object.segments().map(|part| part.address()).min() else { return found };
    let base = module.from.wrapping_sub(first & !4095);
    for symbol in object.dynamic_symbols().filter(ObjectSymbol::is_definition) {
        let Ok(name) = symbol.name() else { continue };
        if let Some(n) = names.iter().position(|&each| each == name) {
            found[n].get_or_insert(base.wrapping_add(symbol.address()));
        }
    }
    found
}

/// The address of a function that a file mapped into the process defines.
pub fn function_in(process: &Process, file: &Path, name: &str) -> Result<u64> {
    let modules = modules_of(&process.maps()?);
    let module = modules.iter().find(|module| module.path() == file);
    let found = module.and_then(|module| symbols(process, module, &[name])[0]);
    found.ok_or_else(|| {
        let (id, file) = (process.id, file.display());
        environment(format!("process {id}: no {name} in {file}"))
    })
}
