// The lender's contact, as the portal's settings give it.
import { language, words } from "../preferences";
import { partsOfContact, portalSettings } from "../settings";

export function Contact() {
  const { contactUs, writeTo } = words.value;
  const contact = portalSettings.value.contacts?.[language.value];
  if (!contact) return null;
  const parts = partsOfContact(contact);
  const only = parts.length === 1 ? parts[0]!.link : null;
  return (
    <p class="contact">
      {only?.startsWith("mailto:") && `${writeTo} `}
      {parts.map(({ text, link }) => (link ? <a href={link}>{link === contact ? contactUs : text}</a> : text))}
    </p>
  );
}
