/** Continues with code that is loaded on first use. If it cannot be loaded now, its additions are left out. */
export function whenLoaded<T>(loading: Promise<T>, use: (loaded: T) => void): void {
  loading.then(use, () => undefined);
}

const TRIES = 30;
const PAUSE_MS = 1000;

/** Loads code that a field requires: if the network fails, tries again for half a minute. */
export async function loadPatiently<T>(load: () => Promise<T>, tries = TRIES): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (tries <= 1) throw error;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return loadPatiently(load, tries - 1);
  }
}

/** Loads on the first use and then gives the same. A failure is not kept: the next use tries again. */
export function onceLoaded<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
