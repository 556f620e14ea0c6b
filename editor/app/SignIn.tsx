import { Dialog } from '../ui/Dialog.tsx';
import { Logo } from '../session/Logo.tsx';
import { SignInForm } from './SignInForm.tsx';

/** For visitors without a session. */
export function SignInPage() {
  return (
    <div className="m-auto flex w-100 max-w-[92vw] flex-col gap-3 rounded-xl border border-line bg-surface p-6">
      <h1 className="flex items-center gap-2 text-lg font-semibold">
        <Logo /> Sign in to Weft
      </h1>
      <SignInForm />
    </div>
  );
}

/** For users whose session has ended during work. */
export function SignInAgain() {
  return (
    <Dialog
      mandatory
      open
      onOpenChange={() => undefined}
      size="sm"
      title="Sign in again"
      description="The session has ended, for instance because the server was restarted. Your edits are stored here and can be saved after signing in."
    >
      <SignInForm />
    </Dialog>
  );
}
