import { createContext, useState } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';

/** How many uploads of a form have not ended: sent before, it would lack their files. */
export type Uploads = StoreApi<{ readonly running: number }>;

export function createUploads(): Uploads {
  return createStore(() => ({ running: 0 }));
}

export function isUploading({ running }: { readonly running: number }): boolean {
  return running > 0;
}

/** Counts an upload until it ends, also one that fails, or whose field is gone meanwhile. */
export async function counted<T>(uploads: Uploads | undefined, upload: Promise<T>): Promise<T> {
  uploads?.setState(({ running }) => ({ running: running + 1 }));
  try {
    return await upload;
  } finally {
    uploads?.setState(({ running }) => ({ running: running - 1 }));
  }
}

/** Those of a form, and whether it has to wait for them. */
export function useUploads(): { readonly uploads: Uploads; readonly isWaiting: boolean } {
  const [uploads] = useState(createUploads);
  return { uploads, isWaiting: useStore(uploads, isUploading) };
}

/** Those of the form around a field. Absent where nothing waits for them. */
export const FormUploads = createContext<Uploads | undefined>(undefined);
