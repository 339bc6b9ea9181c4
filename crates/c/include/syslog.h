#ifndef __DALLY_SYSLOG_H
#define __DALLY_SYSLOG_H
#define LOG_ERR 3
#define LOG_WARNING 4
#define LOG_NOTICE 5
#define LOG_INFO 6
#define LOG_DEBUG 7
#endif
