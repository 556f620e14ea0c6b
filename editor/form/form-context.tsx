import {
  type ComponentType,
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useMemo,
  useSyncExternalStore,
} from 'react';
import type { Problem } from '#shared/problem.ts';
import { formatPath, type Path } from '#engine/check';
import { adviceIn, type FormField, faultOf } from '../model/form/schema-form.ts';
import type { CodeFault } from './code-editor-props.ts';
import type { FormModel } from './form-model.ts';

/** Allows what a node lacks. Absent where that is no business of the form. */
export const Allow = createContext<ComponentType<{ problem: Problem }> | undefined>(undefined);

/** The facts of the last run about the code of a node. Absent where nothing runs. */
export interface CodeRun {
  readonly fault: CodeFault | undefined;
  /** Its button to run, and the lines that the code wrote. */
  readonly console: ReactNode;
}

export const LastCodeRun = createContext<CodeRun | undefined>(undefined);

const FormContext = createContext<FormModel | undefined>(undefined);

export function FormProvider({ form, children }: { form: FormModel; children: ReactNode }) {
  return <FormContext value={form}>{children}</FormContext>;
}

/** The form around a field; throws outside of one. */
export function useForm(): FormModel {
  const form = useContext(FormContext);
  if (!form) throw new Error('A field stands outside of FormProvider');
  return form;
}

/** The value at a path; only its changes cause a render. */
export function useValue(path: Path): unknown {
  const form = useForm();
  return useSyncExternalStore(form.subscribe, () => form.get(path));
}

/** A value derived from the value at a path (the number of its elements); renders when the derived value changes. */
export function useDerived<T extends string | number | boolean | undefined>(
  path: Path,
  of: (value: unknown) => T,
): T {
  const form = useForm();
  return useSyncExternalStore(form.subscribe, () => of(form.get(path)));
}

/** A line below a field. */
export interface FieldMessage {
  readonly severity: Problem['severity'];
  readonly text: string;
  /** The problem of the flow that it tells, which may have a fix; absent for a line of the form itself. */
  readonly problem?: Problem;
}

/** All problems of a field: from the check of the flow, and immediately from the field's own schema. */
export function useMessages(
  field: FormField,
  path: Path,
  value: unknown,
  below = false,
): readonly FieldMessage[] {
  const form = useForm();
  const name = formatPath(path);
  const problems = useSyncExternalStore(form.subscribe, () => form.problemsAt(name, below));
  return useMemo(() => {
    const told = problems.map((problem) => ({
      severity: problem.severity,
      text: shortened(problem, name),
      problem,
    }));
    const text = told.some(({ severity }) => severity === 'error') ? undefined : faultOf(field, value);
    return text === undefined ? told : [...told, { severity: 'error' as const, text }];
    // The formatted name stands for the path, which may be a new array each time.
  }, [problems, field, value, name]);
}

/** At the field itself its name is left out; a problem deeper inside is shown with its place. */
function shortened(problem: Problem, name: string): string {
  if (problem.label !== undefined)
    return problem.field === name ? adviceIn(problem.message, problem.label) : problem.message;
  const inside =
    problem.field && problem.field !== name ? problem.field.slice(name.length).replace(/^\./, '') : '';
  return inside === '' || problem.message.includes(inside)
    ? problem.message
    : `${inside}: ${problem.message}`;
}

/** Sets the field's value; what is typed in quick succession is one step. */
export function useSetter(field: Pick<FormField, 'title'>, path: Path): (value: unknown) => void {
  const form = useForm();
  const name = formatPath(path);
  return useCallback(
    (value) => form.set(path, value, `Change ${field.title.toLowerCase()}`),
    // As above.
    [form, name, field.title],
  );
}
