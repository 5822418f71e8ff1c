// Creates certificates for tests. One thread.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/stores/process.hpp"

namespace portail {

// Creates a self-signed certificate for the name: NAME.pem and NAME.key in the folder.
inline void make_certificate(const std::string& folder, const std::string& name) {
  const std::string base = folder + "/" + name;
  Process openssl({"openssl", "req", "-x509", "-quiet", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                   "-nodes", "-days", "2", "-subj", "/CN=" + name, "-addext", "subjectAltName=DNS:" + name, "-keyout",
                   base + ".key", "-out", base + ".pem"});
  ASSERT_EQ(openssl.wait(), 0);
}

// Encrypts NAME.key with a password, as encrypted.key, readable by its owner only.
inline void encrypt_key(const std::string& folder, const std::string& name) {
  Process openssl({"openssl", "pkcs8", "-topk8", "-in", folder + "/" + name + ".key", "-out", folder + "/encrypted.key",
                   "-passout", "pass:secret"});
  ASSERT_EQ(openssl.wait(), 0);
  std::filesystem::permissions(folder + "/encrypted.key",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace portail
