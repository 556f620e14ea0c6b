import type { SavedView } from '../state/ui-store.ts';

/** The filter of a list: values by the name of their field. An empty one narrows nothing. */
export type Narrowed = Readonly<Record<string, string | undefined>>;

/** Only what narrows. */
export function nowOf(narrowed: Narrowed): Readonly<Record<string, string>> {
  const said = Object.entries(narrowed).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(said);
}

/** The view that narrows to just this. */
export function viewNamed(
  views: readonly SavedView[],
  set: Readonly<Record<string, string>>,
): SavedView | undefined {
  return views.find((view) => isSame(view.set, set));
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** With one more, in place of one of the same screen and name. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return [...withoutView(views, view), view];
}

export function withoutView(
  views: readonly SavedView[],
  { screen, name }: Pick<SavedView, 'screen' | 'name'>,
): SavedView[] {
  return views.filter((view) => view.screen !== screen || view.name !== name);
}
