import { type ComponentType, type FunctionComponent, lazy, useState } from 'react';

export type Preloadable<Props> = FunctionComponent<Props> & {
  /** Fetches the code before it is needed; where that fails now, it is tried again when the part is drawn. */
  preload(): void;
};

/**
 * A part of the screen with code of its own, which suspends while that is on its way. Once it has come the part is drawn at once:
 * React's own `lazy` suspends the first time in any case, and what is shown instead then stays for a noticeable while.
 */
export function preloadable<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): Preloadable<Props> {
  let loaded: ComponentType<Props> | undefined;
  const fetchPart = async (): Promise<{ default: ComponentType<Props> }> => {
    try {
      loaded ??= await load();
      return { default: loaded };
    } catch (error) {
      // A lazy part keeps its failure for good; the next try is another one's.
      Waiting = lazy(fetchPart);
      throw error;
    }
  };
  let Waiting = lazy(fetchPart);

  function Part(props: Props) {
    // Once for each place: another component there would begin anew.
    const [Shown] = useState<ComponentType<Props>>(() => loaded ?? Waiting);
    return <Shown {...props} />;
  }
  return Object.assign(Part, { preload: () => void fetchPart().catch(() => undefined) });
}
