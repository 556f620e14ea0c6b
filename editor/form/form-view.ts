import { createStore, type StoreApi } from 'zustand/vanilla';

/** The state of a form besides its values. It stays as it is while other things are selected. */
export interface FormViewState {
  /** Fields and sections that somebody has opened, by their name. */
  readonly opened: ReadonlySet<string>;
  /** Fields that somebody has left at least once; `all` if the errors of all may be told. */
  readonly left: ReadonlySet<string> | 'all';
  /** How often somebody asked for all errors, by saving or running. */
  readonly asked: number;
}

export type FormView = StoreApi<FormViewState>;

/** A new form is quiet: it tells the errors of a field when that has been left. */
export function createFormView(isNew: boolean): FormView {
  return createStore<FormViewState>()(() => ({
    opened: new Set(),
    left: isNew ? new Set() : 'all',
    asked: 0,
  }));
}

/** Opens or closes a field or section; does nothing without a view. */
export function openIn(view: FormView | undefined, name: string, isOpen = true): void {
  const { opened } = view?.getState() ?? {};
  if (!opened || opened.has(name) === isOpen) return;
  view?.setState({
    opened: isOpen ? new Set(opened).add(name) : new Set([...opened].filter((one) => one !== name)),
  });
}

/** Somebody has left the field, or was led to it by a problem. */
export function leaveIn(view: FormView | undefined, name: string): void {
  const { left } = view?.getState() ?? {};
  if (left === undefined || left === 'all' || left.has(name)) return;
  view?.setState({ left: new Set(left).add(name) });
}

/** Whether the errors of a field may be told. */
export function hasLeft({ left }: FormViewState, name: string): boolean {
  return left === 'all' || left.has(name);
}
