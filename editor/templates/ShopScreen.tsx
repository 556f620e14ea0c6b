import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BookOpen, Database, Globe, LayoutTemplate, type LucideIcon, Mail } from 'lucide-react';
import { useState } from 'react';
import { SHOP } from '#shared/shop.ts';
import { readShop, switchShop } from '../api/templates.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { Switch } from '../ui/Switch.tsx';
import { Mailbox } from './Mailbox.tsx';
import { SHOP_ELSEWHERE } from './shipped-needs.ts';

/** The parts of the shop, by the names under which flows use them. */
const PARTS: readonly { name: string; icon: LucideIcon; to: '/connections' | '/knowledge'; text: string }[] =
  [
    {
      name: SHOP.database,
      icon: Database,
      to: '/connections',
      text: 'A database: products, customers, orders',
    },
    {
      name: SHOP.service,
      icon: Globe,
      to: '/connections',
      text: 'An HTTP service: /rates, /stock/LAMP, /news',
    },
    { name: SHOP.mail, icon: Mail, to: '/connections', text: 'A mail server that sends nothing' },
    { name: SHOP.handbook, icon: BookOpen, to: '/knowledge', text: 'Documents: delivery, returns, care' },
  ];

/** The small shop: switched on or off, and the mails that flows have “sent”. */
export function ShopScreen() {
  const shop = useQuery({ queryKey: ['shop'], queryFn: readShop, refetchInterval: 10_000 });
  return (
    <HomePage
      title="Small shop"
      actions={
        <Link
          to="/templates"
          className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line-strong/60 bg-surface px-3 font-medium hover:bg-surface-3"
        >
          <LayoutTemplate aria-hidden className="size-4" />
          Templates
        </Link>
      }
    >
      <Loaded query={shop} what="the shop">
        {({ on, here }) => (
          <>
            {here ? <Shop on={on} /> : <NotHere />}
            {on && <Mailbox />}
          </>
        )}
      </Loaded>
    </HomePage>
  );
}

function NotHere() {
  return (
    <EmptyState icon={Database} title="This server has no small shop" steps={[]}>
      {SHOP_ELSEWHERE} On this one, templates use your own connections.
    </EmptyState>
  );
}

function wordsOf(on: boolean, busy: boolean): string {
  if (busy) return on ? 'The shop is closing…' : 'The shop is opening…';
  return on ? 'The shop is open' : 'The shop is closed';
}

function Shop({ on }: { on: boolean }) {
  const { change, busy, error } = useSwitch();
  const [asks, setAsks] = useState(false);
  return (
    <section aria-label="What the shop has" className="rounded-lg border border-line bg-surface p-4">
      <div className="flex items-start gap-3">
        <Switch
          label="Small shop"
          checked={on}
          disabled={busy}
          onCheckedChange={(next) => (next ? void change(true) : setAsks(true))}
        />
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          <p className="font-semibold" role="status">
            {wordsOf(on, busy)}
          </p>
          <p className="text-text-2">
            Data to try flows with, on this server alone: nothing leaves it, and no account is needed. A
            template that you open with it switches it on.
          </p>
        </div>
      </div>
      {error !== undefined && (
        <p role="alert" className="mt-2 text-bad">
          {error}
        </p>
      )}
      {on && (
        <ul className="mt-3 grid gap-2 sm:grid-cols-2">
          {PARTS.map(({ name, icon: Icon, to, text }) => (
            <li key={name}>
              <Link
                to={to}
                className="flex items-center gap-2.5 rounded-md border border-line px-3 py-2 hover:border-line-strong"
              >
                <Icon aria-hidden className="size-4 shrink-0 text-text-2" />
                <span className="min-w-0">
                  <code className="font-mono text-xs">{name}</code>
                  <span className="block text-xs text-text-2">{text}</span>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {asks && (
        <ConfirmDialog
          title="Close the small shop?"
          description="Its connections, documents and mails are deleted, with everything that flows have stored in its database. Flows that use it fail until it is open again."
          action="Close the shop"
          busy={busy}
          error={error}
          onConfirm={() => void change(false).then(() => setAsks(false))}
          onClose={() => setAsks(false)}
        />
      )}
    </section>
  );
}

function useSwitch() {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const change = async (on: boolean): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      queries.setQueryData(['shop'], await switchShop(on));
      await queries.invalidateQueries();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
    setBusy(false);
  };
  return { change, busy, error };
}
