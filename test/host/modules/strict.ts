/** An object of a host's module that has its documented members and nothing else: anything else throws. */
export function strict<T extends object>(name: string, members: T, error: ErrorConstructor): T {
  const refuse = (member: string): never => {
    throw new error(`${name}.${member} is not documented`);
  };
  return new Proxy(members, {
    get(target, member) {
      if (typeof member === 'string' && !(member in target)) {
        // Asked of anything that is awaited.
        return member === 'then' ? undefined : refuse(member);
      }
      return Reflect.get(target, member) as unknown;
    },
    set(target, member, value) {
      const known = Reflect.getOwnPropertyDescriptor(target, member);
      if (known === undefined) refuse(String(member));
      if (known?.writable !== true && known?.set === undefined)
        throw new error(`${name}.${String(member)} is read-only`);
      return Reflect.set(target, member, value);
    },
  });
}
