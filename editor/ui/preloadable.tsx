import { type ComponentType, type FunctionComponent, lazy, useState } from 'react';
import { afterFirstPicture } from './first-picture.ts';

/** A component whose code is loaded separately. */
export type Preloadable<Props> = FunctionComponent<Props> & {
  /** Loads the code before it is needed; if that fails, it is tried again when the part is drawn. */
  preload(): void;
};

/** Parts whose code failed to load, each as a function that tries again. */
const failed = new Set<() => void>();

/**
 * Lets parts whose code failed to load be tried again. Call it only after the failure was shown: otherwise every render
 * would request the code again, without end.
 */
export function retryFailedParts(): void {
  for (const again of failed) again();
  failed.clear();
}

/**
 * A part of the screen with separately loaded code, which suspends during loading. With loaded code it renders at once:
 * React's own `lazy` always suspends the first time, and its fallback then stays for a noticeable time.
 */
export function preloadable<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Preloadable<Props> {
  let loaded: ComponentType<Props> | undefined;
  const fetchPart = async (): Promise<{ default: ComponentType<Props> }> => {
    loaded ??= await load();
    return { default: loaded };
  };
  // A lazy part keeps its failure for good, so the next attempt uses a new one.
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
    // Once per place: another component there would remount.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? Waiting);
    return <Shown {...props} />;
  }
  return Object.assign(Part, { preload: () => void fetchPart().catch(() => undefined) });
}

/** A part beside the drawing: its code is loaded after the first frame of the flow. */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): Preloadable<Props> {
  return preloadable(() => afterFirstPicture().then(load));
}
