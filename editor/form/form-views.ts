import { createFormView, type FormView } from './form-view.ts';

const views = new WeakMap<object, Map<string, FormView>>();

/** The view of a form that belongs to something, such as that of a node of a session; made when it is first asked for. */
export function viewOf(owner: object, name: string, isNew: () => boolean): FormView {
  const own = views.get(owner) ?? new Map<string, FormView>();
  views.set(owner, own);
  const view = own.get(name) ?? createFormView(isNew());
  own.set(name, view);
  return view;
}

/** From now on all errors are told: somebody wants to use what is written. */
export function tellAll(owner: object): void {
  for (const view of views.get(owner)?.values() ?? [])
    view.setState(({ asked }) => ({ left: 'all', asked: asked + 1 }));
}
