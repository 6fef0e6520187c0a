//! A stack of more frames than a recording keeps: no reader takes it for a whole one.

use std::path::Path;

use heapsmith_trace::export::{Export, Format};
use heapsmith_trace::packed::{Caller, Meta, Module, StackSample, Tables, Writer};
use heapsmith_trace::page::{Summed, TracePage};
use heapsmith_trace::{Api, Event, Kind};

/// One block of the first caller, whose stack is cut behind the second one.
fn write(path: &Path, anonymously: bool) {
    let at = |offset| Caller { module: Some(0), offset, name: None };
    let mut tables = Tables {
        meta: Meta { ticks_a_ns: 1.0, events: 1, ..Meta::default() },
        modules: vec![Module { file: "/none/app".into(), ..Module::default() }],
        callers: vec![at(16), at(32), Caller::cut()],
        stacks: vec![StackSample { caller: 0, frames: vec![1, 2], samples: 1 }],
        ..Tables::default()
    };
    if anonymously {
        tables.anonymize();
    }
    let mut writer = Writer::create(path).expect("a file");
    let kind = Kind::Allocate { block: 0, size: 100, align: 1 };
    writer.push(&Event { tick: 1, thread: 1, api: Api::Malloc, caller: 0, kind }).expect("written");
    writer.finish(&tables).expect("written");
}

fn folded(path: &Path) -> String {
    let mut out = Vec::new();
    Export::read(path, Format::Folded).expect("read").write(&mut out).expect("written");
    String::from_utf8(out).expect("text")
}

#[test]
fn a_cut_stack_has_a_mark_in_place_of_its_root() {
    let folder = tempfile::tempdir().expect("a folder");
    let (named, anonymous) = (folder.path().join("named"), folder.path().join("anonymous"));
    write(&named, false);
    write(&anonymous, true);
    assert_eq!(folded(&named), "(cut);app+0x20;app+0x10 100\n");
    assert!(folded(&anonymous).starts_with("(cut);0x"), "{}", folded(&anonymous));
    for path in [named, anonymous] {
        let page = TracePage::of(&Summed::read(&path).expect("read"));
        let stack = page.stacks.path(page.stacks.stacks[0].1);
        let root = stack.last().map(|&it| &page.places[it as usize]);
        assert!(stack.len() == 3 && root.is_some_and(|it| it.name == "(cut)" && !it.is_own));
    }
}
