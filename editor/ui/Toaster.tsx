import { lazy, Suspense, useEffect, useState } from 'react';
import { onFirstToast } from './toast.ts';

const ToastList = lazy(() => import('./ToastList.tsx').then((file) => ({ default: file.ToastList })));

/** Where toasts appear; nothing until there is one. */
export function Toaster() {
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => onFirstToast(() => setNeeded(true)), []);
  return <Suspense fallback={null}>{isNeeded && <ToastList />}</Suspense>;
}
