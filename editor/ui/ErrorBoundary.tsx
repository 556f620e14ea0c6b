import { TriangleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { Button } from './Button.tsx';
import { EmptyState } from './EmptyState.tsx';
import { retryFailedParts } from './preloadable.tsx';

interface ErrorBoundaryProps {
  /** The name of the failed part on the screen: `The canvas`. */
  part: string;
  /** Shows the failure in another way: `instead` replaces the part. */
  onFailed?(error: Error): void;
  instead?: ReactNode;
  children: ReactNode;
}

/** Keeps the failure of one part from affecting the rest. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: asError(error) };
  }

  override componentDidCatch(error: Error): void {
    retryFailedParts();
    this.props.onFailed?.(error);
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    if (this.props.onFailed) return this.props.instead ?? null;
    return (
      <Failed part={this.props.part} error={error} onRetry={() => this.setState({ error: undefined })} />
    );
  }
}

/** Whatever was thrown. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

interface FailedProps {
  part: string;
  error: Error;
  onRetry(): void;
}

/** Says in place of a part that it has failed. */
export function Failed({ part, error, onRetry }: FailedProps) {
  return (
    <div role="alert" className="flex min-h-0 flex-1 overflow-auto">
      <EmptyState
        icon={TriangleAlert}
        title={`${part} stopped working`}
        action={
          <>
            <Button size="sm" onClick={onRetry}>
              Try again
            </Button>
            <Button size="sm" variant="ghost" onClick={() => location.reload()}>
              Reload the page
            </Button>
          </>
        }
      >
        Nothing you have drawn is lost. If trying again does not help, reload; edits that are not saved yet
        are restored. Details for a report: <code className="break-all">{error.message}</code>
      </EmptyState>
    </div>
  );
}
