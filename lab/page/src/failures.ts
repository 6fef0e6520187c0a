// The program's failures: the contender, how the program ended, and the end of its stderr.
import { h } from './dom';
import { caseLabel } from './places';
import type { Failure, Results } from './data';

/** The command's own words; otherwise `ended by SIGSEGV` or `exit code 3`. */
export function ending(failure: Failure): string {
  if (failure.why !== '') return failure.why;
  if (failure.signal !== null) {
    const name = /^\d+$/.test(failure.signal) ? `signal ${failure.signal}` : failure.signal;
    return `ended by ${name}`;
  }
  return failure.exit === null ? 'did not finish' : `exit code ${failure.exit}`;
}

export function failureList(results: Results): HTMLElement[] {
  const intro =
    'These runs failed. Every comparison excludes such a contender, including the rounds that it ' +
    'finished before: an allocator under which the program fails is not an option, however fast it is.';
  const entries = results.failures.map((failure) => {
    const { where } = failure;
    const label = where === null ? '' : `${caseLabel(where.workload, where.params)}: `;
    const tail = failure.stderrTail.trimEnd();
    return h(
      'article',
      { class: 'failure' },
      h('h3', {}, failure.contender, h('span', {}, ` ${label}${ending(failure)}`)),
      tail === '' ? h('p', { class: 'quiet' }, 'Nothing on stderr.') : h('pre', {}, tail),
    );
  });
  return [h('p', {}, intro), ...entries];
}
