import type { Problem } from '#shared/problem.ts';
import { count, printable } from '../io.ts';

/** Problems of one file, shown as `file`. */
export interface FileProblems {
  readonly file: string;
  readonly problems: readonly Problem[];
}

/** A problem as `--json` prints it. */
export type ListedProblem = Problem & { readonly file: string };

/**
 * `file:line:column severity code message`, in the order of the file, each with a line for its fix. Where the message calls a setting
 * as the editor does, the name that it has in the file follows.
 */
export function problemLines({ file, problems }: FileProblems): string[] {
  return inFileOrder(problems).flatMap((problem) => {
    const { line = 1, column = 1, severity, code, message, label, field, fix } = problem;
    const key = label !== undefined && field !== undefined ? ` (${field})` : '';
    const text = printable(`${message}${key}`).replaceAll('\n', ' ');
    const head = `${file}:${line}:${column} ${severity} ${code} ${text}`;
    return fix
      ? [head, `  fix: ${printable(fix.title)}${isApplicable(problem) ? ' (check --fix)' : ''}`]
      : [head];
  });
}

/** Only errors, and operators that were replaced: the cause of another warning may be intended. */
export function isApplicable({ code, severity, fix }: Problem): boolean {
  return (severity === 'error' || code === 'replaced-operator') && fix !== undefined;
}

function inFileOrder(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

export function listProblems(files: readonly FileProblems[]): ListedProblem[] {
  return files.flatMap(({ file, problems }) =>
    inFileOrder(problems).map((problem) => ({ file, ...problem })),
  );
}

export interface ProblemCount {
  readonly errors: number;
  readonly warnings: number;
}

export function countProblems(files: readonly FileProblems[]): ProblemCount {
  const all = files.flatMap(({ problems }) => problems);
  const errors = all.filter(({ severity }) => severity === 'error').length;
  return { errors, warnings: all.length - errors };
}

/** `2 errors and 1 warning in 3 files`, or that there are no problems. */
export function summary(files: readonly FileProblems[]): string {
  const { errors, warnings } = countProblems(files);
  const where = `in ${count(files.length, 'file')}`;
  const parts = [
    ...(errors > 0 ? [count(errors, 'error')] : []),
    ...(warnings > 0 ? [count(warnings, 'warning')] : []),
  ];
  return parts.length === 0 ? `No problems ${where}.` : `${parts.join(' and ')} ${where}.`;
}
