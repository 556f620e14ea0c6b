import { type ComponentType, useEffect, useState } from 'react';
import { loadPatiently } from '../model/when-loaded.ts';
import { afterFirstPicture } from './first-picture.ts';
import { onFirstToast } from './toast.ts';

const load = async () => (await import('./ToastList.tsx')).ToastList;

/** The place for toasts; empty until there is one. Its code is loaded early, because many toasts report a lost network. */
export function Toaster() {
  const [List, setList] = useState<ComponentType>();
  useEffect(
    () =>
      void afterFirstPicture()
        .then(load)
        .catch(() => undefined),
    [],
  );
  useEffect(
    () =>
      onFirstToast(() => {
        loadPatiently(load).then(
          (loaded) => setList(() => loaded),
          () => undefined,
        );
      }),
    [],
  );
  return List && <List />;
}
