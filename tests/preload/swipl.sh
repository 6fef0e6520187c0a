#!/usr/bin/env bash
# SWI-Prolog reads gperftools' properties, and releases memory, through MallocExtension.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

job() {
  cat >memory.pl <<'END'
number(Name, Value) :- Property =.. [Name, Value], malloc_property(Property).
expect(Goal) :- ( call(Goal) -> true ; writeln(expected(Goal)) ).
% A collection does nothing while the thread gc is at one; so there may be several.
collect_until(Enough, Rounds) :-
  garbage_collect_clauses, garbage_collect_atoms, trim_heap,
  number('generic.current_allocated_bytes', Now),
  ( ( Now < Enough ; Rounds =< 0 ) -> true
  ; sleep(0.05), Fewer is Rounds - 1, collect_until(Enough, Fewer) ).
main :-
  number('generic.current_allocated_bytes', Before),
  forall(between(1, 20000, I), ( format(atom(Text), "~|~`xt~w~500|", [I]), assertz(kept(Text)) )),
  number('generic.current_allocated_bytes', Full),
  number('generic.heap_size', Size),
  expect(Full > Before + 10000000),
  expect(Size > Full),
  Enough is Full - 5000000,
  retractall(kept(_)), collect_until(Enough, 100),
  number('generic.current_allocated_bytes', After),
  number('tcmalloc.pageheap_free_bytes', Free),
  expect(After < Enough),
  expect(Free < 2000000).
:- initialization((main, halt)).
END
  swipl memory.pl
}

own_run swipl
pass_alone "allocated bytes rise by 10 MB and fall by 5 MB"
