import { NO_PROBLEMS, type FormModel, valueAt, withValueAt } from './form-model.ts';

/** An input that a form edits: only a value, without undo. */
export interface InputModel {
  readonly form: FormModel;
  value(): unknown;
  replace(value: unknown): void;
}

export function createInputModel(initial: unknown): InputModel {
  let value = initial;
  const listeners = new Set<() => void>();
  const replace = (next: unknown): void => {
    value = next;
    for (const tell of listeners) tell();
  };
  return {
    value: () => value,
    replace,
    form: {
      get: (path) => valueAt(value, path),
      set: (path, next) => replace(withValueAt(value, path, next)),
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      problemsAt: () => NO_PROBLEMS,
      drafts: new Map(),
    },
  };
}
