import { CircleUser, LogOut, MonitorSmartphone } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';

const InviteDialog = lazy(() =>
  import('../session/InviteDialog.tsx').then((file) => ({ default: file.InviteDialog })),
);
const SignOutDialog = lazy(() =>
  import('../session/SignOutDialog.tsx').then((file) => ({ default: file.SignOutDialog })),
);

/** The menu of the person and this browser. */
export function Account() {
  const [dialog, setDialog] = useState<'invite' | 'sign-out'>();
  const close = (): void => setDialog(undefined);
  return (
    <>
      <Menu
        side="top"
        align="start"
        trigger={<IconButton icon={CircleUser} label="Account" side="right" />}
        entries={[
          {
            id: 'invite',
            label: 'Sign in another browser…',
            icon: MonitorSmartphone,
            onSelect: () => setDialog('invite'),
          },
          { id: 'sign-out', label: 'Sign out…', icon: LogOut, onSelect: () => setDialog('sign-out') },
        ]}
      />
      <Suspense fallback={null}>
        {dialog === 'invite' && <InviteDialog onClose={close} />}
        {dialog === 'sign-out' && <SignOutDialog onClose={close} />}
      </Suspense>
    </>
  );
}
