// Allowed origins for tests: valid ones, then invalid ones that must match nothing.
#pragma once

#include <string>
#include <vector>

namespace portail {

inline const std::vector<std::string> listed_origins{"https://portal.example.com",
                                                     "http://localhost:4200",
                                                     "https://*.banque.fr",
                                                     "https://*.pre.fr:8443",
                                                     "*",
                                                     "null",
                                                     "https://*",
                                                     "http://*.clear.fr"};

}  // namespace portail
