// Families: cases of one workload that differ in one number, such as the number of threads.
import type { Case } from './places';
import type { Scale } from './state';

export interface Family {
  /** The parameter in which the cases differ. */
  readonly key: string;
  /** In the order of the parameter. */
  readonly cases: readonly { readonly value: number; readonly id: string }[];
}

function without(params: Case['params'], key: string): string {
  const rest = Object.entries(params).filter(([name]) => name !== key);
  return JSON.stringify(rest.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The family of a case for each parameter that has at least three numbers. */
export function familiesOf(cases: readonly Case[], of: Case): Family[] {
  const alike = cases.filter(
    ({ suite, workload }) => suite === of.suite && workload === of.workload,
  );
  return Object.keys(of.params).flatMap((key): Family[] => {
    const others = without(of.params, key);
    const members = alike.flatMap((each) => {
      const value = each.params[key];
      const isMember = typeof value === 'number' && without(each.params, key) === others;
      return isMember ? [{ value, id: each.id }] : [];
    });
    members.sort((a, b) => a.value - b.value);
    return members.length < 3 ? [] : [{ key, cases: members }];
  });
}

/** Where the numbers of a family stand, from 0 to 1. A number of zero or less has no logarithm. */
export function positions(values: readonly number[], scale: Scale): number[] {
  const isLog = scale === 'log' && values.every((value) => value > 0);
  const plot = isLog ? Math.log : (value: number) => value;
  const first = plot(values[0] ?? 0);
  const last = plot(values[values.length - 1] ?? 0);
  return values.map((value) => (last > first ? (plot(value) - first) / (last - first) : 0));
}
