// The lender's contact, as the portal's settings give it.
import { language, words } from "../preferences";
import { linkOfContact, portalSettings } from "../settings";

export function Contact() {
  const { contactUs, writeTo } = words.value;
  const contact = portalSettings.value.contacts?.[language.value];
  if (!contact) return null;
  const link = linkOfContact(contact);
  if (link === null) return <p class="contact">{contact}</p>;
  return (
    <p class="contact">
      {link === contact ? (
        <a href={link}>{contactUs}</a>
      ) : (
        <>
          {writeTo} <a href={link}>{contact}</a>
        </>
      )}
    </p>
  );
}
