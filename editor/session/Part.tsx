import { type ReactNode, Suspense } from 'react';
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx';
import { Spinner } from '../ui/Spinner.tsx';

/** A part of the screen that loads and fails on its own. */
export function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <ErrorBoundary part={name}>
      <Suspense
        fallback={
          <div className="flex h-full text-text-2">
            <div className="m-auto">
              <Spinner label="Loading" />
            </div>
          </div>
        }
      >
        {children}
      </Suspense>
    </ErrorBoundary>
  );
}
