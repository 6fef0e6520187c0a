// The program's failures: under which contender it ended how, and its last words.
import { caseLabel } from './compare';
import { h } from './dom';
import type { Failure, Results } from './data';

/** The command's own words, else `ended by SIGSEGV` or `exit code 3`. */
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
    'These could not be measured. Such a contender is left out of every comparison here, also with the rounds ' +
    'it finished before: an allocator the program dies under is no choice, however fast.';
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
