import { TriangleAlert } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { Button } from './Button.tsx';
import { EmptyState } from './EmptyState.tsx';
import { retryFailedParts } from './preloadable.tsx';

interface ErrorBoundaryProps {
  /** The name of the failed part on the screen: `The canvas`. */
  part: string;
  /** Shows the failure in another way: nothing replaces the part. */
  onFailed?(error: Error): void;
  children: ReactNode;
}

/** Keeps the failure of one part from affecting the rest. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidCatch(error: Error): void {
    retryFailedParts();
    this.props.onFailed?.(error);
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    if (this.props.onFailed) return null;
    return (
      <div role="alert" className="flex min-h-0 flex-1 overflow-auto">
        <EmptyState
          icon={TriangleAlert}
          title={`${this.props.part} stopped working`}
          action={
            <>
              <Button size="sm" onClick={() => this.setState({ error: undefined })}>
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
}
