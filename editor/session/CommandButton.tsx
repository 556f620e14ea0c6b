import { Box, type LucideIcon } from 'lucide-react';
import type { Command } from '../commands/command.ts';
import { ariaKeys } from '../ui/keys.ts';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Tooltip } from '../ui/Tooltip.tsx';
import { useCommand } from './use-command.ts';

interface CommandButtonProps {
  command: Command;
  /** With its title; otherwise only the icon. */
  variant?: 'primary' | 'secondary' | 'ghost';
  icon?: LucideIcon;
  label?: string;
  busy?: boolean;
  pressed?: boolean;
  /** For one with only an icon. */
  size?: 'sm';
  side?: 'top';
}

/** A button for a command. If the command is disabled, the button says why. */
export function CommandButton(props: CommandButtonProps) {
  const { command, variant, icon, label, busy, pressed, size, side } = props;
  const { enabled, run } = useCommand(command);
  const reason = enabled === true ? undefined : enabled;
  const Icon = icon ?? command.icon ?? Box;
  if (!variant) {
    return (
      <IconButton
        icon={Icon}
        label={label ?? command.label}
        keys={command.keys}
        reason={reason}
        disabled={reason !== undefined}
        pressed={pressed}
        size={size}
        side={side}
        onClick={run}
      />
    );
  }
  return (
    <Tooltip text={reason ?? command.label} keys={reason ? undefined : command.keys?.[0]}>
      <Button
        variant={variant}
        icon={Icon}
        busy={busy}
        disabled={reason !== undefined}
        aria-keyshortcuts={ariaKeys(command.keys)}
        onClick={run}
      >
        {label ?? command.label}
      </Button>
    </Tooltip>
  );
}
