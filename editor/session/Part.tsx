import { type ReactNode, Suspense } from 'react';
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useSession } from './session.tsx';

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

const leaveOut = (): void => undefined;

interface BesideProps {
  /** In its place while its code is loaded, or if that fails. */
  fallback?: ReactNode;
  /** For what somebody has asked for: says that it did not come. */
  onFailed?(error: Error): void;
  children: ReactNode;
}

/** A part beside another one, which works without it, such as while the server is away. */
export function Beside({ fallback = null, onFailed = leaveOut, children }: BesideProps) {
  return (
    // Nobody sees its name.
    <ErrorBoundary part="" onFailed={onFailed} instead={fallback}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </ErrorBoundary>
  );
}

/** Closes what could not be opened, and says so. */
export function useNotOpened(): (error: Error) => void {
  const { ui, actions } = useSession();
  return ({ message }) => {
    ui.setState({ overlay: undefined });
    actions.toast(
      `The dialog could not be opened. Try again once the server can be reached. (${message})`,
      'error',
    );
  };
}
