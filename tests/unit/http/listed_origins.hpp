// The origins that an operator listed, for the tests of whoever compares with them: those that count, and after them
// those that no setting can be and that must match nothing.
#pragma once

#include <string>
#include <vector>

namespace portail {

inline const std::vector<std::string> listed_origins{"https://portail.example.com",
                                                     "http://localhost:4200",
                                                     "https://*.banque.fr",
                                                     "https://*.pre.fr:8443",
                                                     "*",
                                                     "null",
                                                     "https://*",
                                                     "http://*.clear.fr"};

}  // namespace portail
