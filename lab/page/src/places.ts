// Names workloads: a label for readers and an identity for the index and the URL.
import type { Params, Place } from './data';

/** A workload with its parameters. */
export interface Case extends Place {
  readonly id: string;
  readonly label: string;
}

export function caseLabel(workload: string, params: Params): string {
  const parts = Object.entries(params).map(([key, value]) =>
    key === 'threads' ? `${value} ${value === 1 ? 'thread' : 'threads'}` : `${key} ${value}`,
  );
  return [workload, ...parts].join(' · ');
}

export function caseId(row: Place): string {
  const entries = Object.entries(row.params).sort(([a], [b]) => (a < b ? -1 : 1));
  return [row.suite, row.workload, ...entries.map(([k, v]) => `${k}=${v}`)].join('/');
}

export function caseOf(row: Place): Case {
  const { suite, workload, params } = row;
  return { suite, workload, params, id: caseId(row), label: caseLabel(workload, params) };
}

/** The cases with the suite in the labels that a case of an earlier suite has, too. */
export function toldApart(cases: readonly Case[]): Case[] {
  const taken = new Set<string>();
  return cases.map((each) => {
    const label = taken.has(each.label) ? `${each.label} (${each.suite})` : each.label;
    taken.add(label);
    return { ...each, label };
  });
}
