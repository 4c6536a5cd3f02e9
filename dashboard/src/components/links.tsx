/** The router's links with Mantine's styles. They are real links, so a middle click opens a tab. */
import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  NavLink,
  type NavLinkProps,
} from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

type WithAnchorProps<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>;

const AnchorElement = (props: WithAnchorProps<AnchorProps>) => <Anchor {...props} />;
const ButtonElement = (props: WithAnchorProps<ButtonProps>) => <Button component="a" {...props} />;
const NavElement = (props: WithAnchorProps<NavLinkProps>) => <NavLink component="a" {...props} />;

/** Example: `<TextLink to="/accounts/$account/tasks" params={{ account }}>`. */
export const TextLink = createLink(AnchorElement);
export const LinkButton = createLink(ButtonElement);
export const NavItem = createLink(NavElement);
