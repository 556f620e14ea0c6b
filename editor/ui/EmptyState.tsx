import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  /** For a page that has no other heading. */
  isPage?: boolean;
  /** The content that would be here. */
  children?: ReactNode;
  /** The ways to get it. With steps the state stands at the top of a list that is empty; without, in the middle of its panel. */
  steps?: readonly ReactNode[];
  action?: ReactNode;
}

/** A view without content: what belongs there, and what to do. */
export function EmptyState(props: EmptyStateProps) {
  return props.steps ? <EmptyList {...props} steps={props.steps} /> : <EmptyMiddle {...props} />;
}

function EmptyMiddle({ icon, title, isPage, children, action }: EmptyStateProps) {
  const Title = isPage ? 'h1' : 'p';
  return (
    <div className="m-auto flex max-w-100 flex-col items-center gap-2 p-6 text-center">
      <Sign icon={icon} />
      <Title className="font-semibold">{title}</Title>
      {children && <div className="text-text-2">{children}</div>}
      {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

interface EmptyListProps extends EmptyStateProps {
  steps: readonly ReactNode[];
}

function EmptyList({ icon, title, children, steps, action }: EmptyListProps) {
  return (
    <div className="flex max-w-180 gap-4 rounded-lg border border-line bg-surface p-5 max-sm:flex-col">
      <Sign icon={icon} />
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <p className="text-base leading-6 font-semibold">{title}</p>
        {children && <div className="text-text-2">{children}</div>}
        {steps.length > 0 && (
          <ol className="my-1 flex flex-col gap-2">
            {steps.map((step, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps have an order and nothing else
              <li key={i} className="flex gap-2.5">
                <span
                  aria-hidden
                  className="inline-flex size-5 shrink-0 items-center justify-center rounded-full bg-accent-soft text-[11px] font-semibold text-accent"
                >
                  {i + 1}
                </span>
                <span className="min-w-0">{step}</span>
              </li>
            ))}
          </ol>
        )}
        {action && <div className="mt-1 flex flex-wrap gap-2">{action}</div>}
      </div>
    </div>
  );
}

function Sign({ icon: Icon }: { icon: LucideIcon }) {
  return (
    <span className="inline-flex size-10 shrink-0 items-center justify-center rounded-full bg-surface-3 text-text-2">
      <Icon aria-hidden className="size-5" />
    </span>
  );
}

/** A panel that contains only an empty state, which may be higher than the panel: the keyboard can scroll it. */
export function EmptyPanel({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus
      tabIndex={0}
      className="flex min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
    >
      {children}
    </section>
  );
}
