//! The code of a piece of advice, in the language of the program.

use heapsmith_trace::advice::candidates::Change;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    C,
    #[default]
    Cpp,
    Rust,
}

impl Language {
    /// By the name of a file.
    pub fn of(path: &str) -> Self {
        match path.rsplit('.').next() {
            Some("rs") => Self::Rust,
            Some("c") => Self::C,
            _ => Self::Cpp,
        }
    }
}

/// Lines to paste; `limit` is in bytes.
pub fn code(change: Change, language: Language, limit: u64) -> String {
    let text = match (change, language) {
        (Change::StackBuffer, Language::C) => {
            "char buffer[LIMIT];\n\
             void* p = n <= sizeof buffer ? buffer : malloc(n);\n\
             …\n\
             if (p != buffer) free(p);"
        }
        (Change::StackBuffer, Language::Cpp) => {
            "#include <heapsmith/inline_arena.hpp>\n\
             heapsmith::inline_arena<LIMIT> memory;  // on the stack; larger blocks from the heap\n\
             void* p = memory.allocate(n);           // or a container on memory"
        }
        (Change::StackBuffer, Language::Rust) => {
            "let mut buffer = [std::mem::MaybeUninit::<u8>::uninit(); LIMIT];\n\
             let mut arena = heapsmith::Arena::with_buffer(&mut buffer);  // larger blocks from the heap"
        }
        (Change::ReusedBuffer, Language::C) => {
            "static _Thread_local char* buffer;  // LIMIT bytes, kept\n\
             if (buffer == NULL) buffer = malloc(LIMIT);\n\
             void* p = n <= LIMIT && buffer != NULL ? buffer : malloc(n);\n\
             …\n\
             if (p != buffer) free(p);"
        }
        (Change::ReusedBuffer, Language::Cpp) => {
            "static thread_local std::vector<std::byte> buffer;  // keeps its LIMIT bytes\n\
             buffer.clear();\n\
             buffer.resize(n);"
        }
        (Change::ReusedBuffer, Language::Rust) => {
            "thread_local! { static BUFFER: RefCell<Vec<u8>> = RefCell::default(); }\n\
             BUFFER.with_borrow_mut(|buffer| { buffer.clear(); buffer.resize(n, 0); … });"
        }
        (Change::Scope, Language::Rust) => {
            "let mut arena = heapsmith::Arena::new();  // once, for example in the caller\n\
             arena.scope(|frame| {\n    \
                 let block = frame.alloc_slice_fill_copy(n, 0u8);\n    \
                 …\n\
             });  // all blocks of the scope end"
        }
        (Change::Scope, _) => {
            "#include <heapsmith/scope.hpp>\n\
             heapsmith::arena memory;                 // once, for example in the caller\n\
             heapsmith::scope frame(memory, \"frame\");\n\
             void* p = frame.allocate(n);             // instead of malloc; no free\n\
             // a function that is called takes frame.child(\"inner\")"
        }
        (Change::Arena, Language::Rust) => {
            "let mut arena = heapsmith::Arena::new();  // once\n\
             let node = arena.alloc(node);             // instead of Box::new\n\
             …\n\
             arena.reset();                            // where all blocks end"
        }
        (Change::Arena, _) => {
            "#include <heapsmith/arena.hpp>\n\
             heapsmith::arena memory;       // once\n\
             void* p = memory.allocate(n);  // instead of malloc; no free\n\
             …\n\
             memory.reset();                // where all blocks end"
        }
        (Change::Reserve, Language::Rust) => {
            "list.reserve_exact(final_count);  // before the first element"
        }
        (Change::Reserve, Language::C) => {
            "p = malloc(final_size);  // instead of growing it with realloc"
        }
        (Change::Reserve, Language::Cpp) => {
            "list.reserve(final_count);  // before the first element"
        }
        (Change::Pool, Language::Rust) => {
            "let mut pool = heapsmith::Pool::new();\n\
             let handle = pool.insert(node);  // instead of Box::new(node)\n\
             pool.remove(handle);             // instead of drop"
        }
        (Change::Pool, _) => {
            "#include <heapsmith/pool_resource.hpp>\n\
             heapsmith::unsynchronized_pool<> pool;\n\
             void* p = pool.allocate(LIMIT);  // instead of malloc\n\
             pool.deallocate(p, LIMIT);       // instead of free"
        }
        (Change::SharedPool, Language::Rust) => {
            "// A crate's global allocator serves all threads:\n\
             #[global_allocator]\n\
             static GLOBAL: heapsmith::Heapsmith = heapsmith::Heapsmith;"
        }
        (Change::SharedPool, _) => {
            "#include <heapsmith/pool_resource.hpp>\n\
             heapsmith::synchronized_pool<> pool;  // for all threads\n\
             void* p = pool.allocate(LIMIT);       // instead of malloc\n\
             pool.deallocate(p, LIMIT);            // instead of free"
        }
    };
    text.replace("LIMIT", &limit.to_string())
}
