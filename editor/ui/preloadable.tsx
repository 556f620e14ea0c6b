import { type ComponentType, type FunctionComponent, lazy, useState } from 'react';
import { afterFirstPicture } from './first-picture.ts';

export type Preloadable<Props> = FunctionComponent<Props> & {
  /** Fetches the code before it is needed; where that fails now, it is tried again when the part is drawn. */
  preload(): void;
};

/** Parts whose code did not come, as what lets each be tried again. */
const failed = new Set<() => void>();

/**
 * Lets parts whose code did not come be tried again. For who has shown that they failed: before that, the next drawing would
 * ask for the code again, and the one after it, without end.
 */
export function retryFailedParts(): void {
  for (const again of failed) again();
  failed.clear();
}

/**
 * A part of the screen with code of its own, which suspends while that is on its way. Once it has come the part is drawn at once:
 * React's own `lazy` suspends the first time in any case, and what is shown instead then stays for a noticeable while.
 */
export function preloadable<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Preloadable<Props> {
  let loaded: ComponentType<Props> | undefined;
  const fetchPart = async (): Promise<{ default: ComponentType<Props> }> => {
    loaded ??= await load();
    return { default: loaded };
  };
  // A lazy part keeps its failure for good; the next try is another one's.
  const wait = () =>
    lazy(() =>
      fetchPart().catch((error: unknown) => {
        failed.add(() => {
          Waiting = wait();
        });
        throw error;
      }),
    );
  let Waiting = wait();

  function Part(props: Props) {
    // Once for each place: another component there would begin anew.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? Waiting);
    return <Shown {...props} />;
  }
  return Object.assign(Part, { preload: () => void fetchPart().catch(() => undefined) });
}

/** What stands beside the drawing: its code comes after the first picture of the flow. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): Preloadable<Props> {
  return preloadable(() => afterFirstPicture().then(load));
}
