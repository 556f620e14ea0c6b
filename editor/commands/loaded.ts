import { onceLoaded } from '../model/when-loaded.ts';
import { afterFirstPicture } from '../ui/first-picture.ts';
import type { Session } from './command.ts';
import type * as Index from './index.ts';

/** All commands, whose code comes after the first picture: before, only those have an effect that buttons name. */
let loaded: typeof Index | undefined;

export function loadedCommands(): typeof Index | undefined {
  return loaded;
}

/** After a failure, the next key or menu tries again. */
export const loadCommands: () => Promise<typeof Index> = onceLoaded(async () => {
  await afterFirstPicture();
  loaded = await import('./index.ts');
  return loaded;
});

/** Says that something that somebody asked for could not be done, because its code could not be loaded. */
export function tellNotLoaded({ actions }: Pick<Session, 'actions'>): void {
  actions.toast(
    'Nothing was done: a part of the editor could not be loaded. Try again once the server can be reached.',
    'error',
  );
}

/** `whenLoaded` for what somebody asked for: a failure is said. */
export function whenAsked<T>(
  session: Pick<Session, 'actions'>,
  loading: Promise<T>,
  use: (loaded: T) => void,
): void {
  loading.then(use, () => tellNotLoaded(session));
}
